"""Streams, in which each sequence has cells of its own, answer as the shared pool does."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from npc_server.errors import PromptTooLong
from npc_server.llm.engine import Completion, Request
from npc_server.llm.llama import LlamaContext, LlamaModel, Rows, Shape
from tests.llm.conftest import StartEngine
from tests.llm.fake_memory import FakeMemory, batcher, job, prompt, reply_to, run, spelled, texts
from tests.llm.kinds import KINDS

ASKED = [
    Request(
        f"You are Mara, a baker. {'The square is busy. ' * 5 if n % 2 else ''}", f"Question {n}: what now?", KINDS["text"], n, temperature=0
    )
    for n in range(12)
]


async def answers(start_engine: StartEngine, **how: object) -> list[Completion]:
    engine = start_engine(**how)
    await engine.loaded()
    assert engine.process.facts["streams"] == (how["kv_cache"] == "streams")
    return await asyncio.gather(*(engine.complete(replace(request, max_tokens=24)) for request in ASKED))


@pytest.mark.model
async def test_streams_give_the_same_tokens_as_the_pool(start_engine: StartEngine) -> None:
    # A graphics card adds up in another order for each layout, so equally likely tokens may change places.
    pool = await answers(start_engine, kv_cache="pool", n_gpu_layers=0)
    streams = await answers(start_engine, kv_cache="streams", stream_tokens=512, n_gpu_layers=0)
    assert [done.text for done in streams] == [done.text for done in pool]
    assert [done.cached_tokens for done in streams] == [done.cached_tokens for done in pool]
    assert sum(done.cached_tokens > 0 for done in streams) >= 10


@pytest.mark.model
def test_a_beginning_copied_to_another_stream_gives_the_same_numbers(random_model: Path) -> None:
    context = LlamaContext(LlamaModel(random_model, 0), Shape(256, 64, 3, 1, streams=True))
    context.decode(Rows.of((n * 7 % 900, n, 0, n == 19) for n in range(20)))
    wanted = context.logits()[0].copy()
    context.copy(0, 2, 15)
    context.cut(0)
    context.decode(Rows.of((n * 7 % 900, n, 2, n == 19) for n in range(15, 20)))
    np.testing.assert_allclose(context.logits()[0], wanted, atol=1e-2)
    context.close()


@pytest.mark.model
def test_logits_come_in_the_order_of_their_rows(random_model: Path) -> None:
    """Streams that are not adjacent are decoded one after the other."""
    model = LlamaModel(random_model, 0)
    alone = []
    for token in (5, 6, 7):
        context = LlamaContext(model, Shape(256, 64, 4, 1, streams=True))
        context.decode(Rows.of([(token, 0, 0, True)]))
        alone.append(context.logits()[0].copy())
        context.close()
    context = LlamaContext(model, Shape(256, 64, 4, 1, streams=True))
    context.decode(Rows.of([(9, 0, 0, False), (5, 1, 0, False), (6, 0, 1, True), (5, 0, 3, True)]))
    np.testing.assert_allclose(context.logits(), [alone[1], alone[0]], atol=1e-2)
    context.close()


@pytest.mark.model
async def test_a_prompt_longer_than_a_stream_is_refused(start_engine: StartEngine) -> None:
    engine = start_engine(kv_cache="streams", stream_tokens=512, context_tokens=8192)
    status = await engine.loaded()
    assert status.context_tokens == 512
    with pytest.raises(PromptTooLong, match=r"stream_tokens"):
        await engine.complete(replace(ASKED[0], max_tokens=600))


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_any_coming_and_going_in_streams_gives_everybody_their_own_answer(data: st.DataObject) -> None:
    memory = FakeMemory(64, data.draw(st.integers(8, 64)), streams=True)
    one = batcher(memory, parallel=data.draw(st.integers(1, 8)), kept=data.draw(st.integers(0, 4)), apart=data.draw(st.booleans()))
    systems = [prompt(n, 30) for n in range(3)]
    wanted: dict[int, str] = {}
    got: dict[int, str] = {}
    for id_ in range(data.draw(st.integers(1, 25))):
        system = systems[data.draw(st.integers(0, 2))]
        tokens = system + prompt(id_, data.draw(st.integers(1, 20)))
        length = data.draw(st.integers(1, 8))
        one.add(job(id_, tokens, length=length, system=len(system), priority=data.draw(st.integers(0, 3))))
        wanted[id_] = spelled(reply_to(tokens, length))
        memory.interrupt_next = data.draw(st.integers(0, 3))
        for _ in range(data.draw(st.integers(0, 4))):
            if not one.idle:
                got |= texts([one.turn()])
        if data.draw(st.integers(0, 9)) == 0:
            gone = data.draw(st.integers(0, id_))
            one.cancel(gone)
            if gone not in got:
                wanted.pop(gone, None)
    got |= texts(run(one, memory))
    assert got == wanted


def test_long_prompts_of_others_take_no_cells_from_a_stream() -> None:
    memory = FakeMemory(100, 32, streams=True)
    one = batcher(memory, parallel=4, kept=0)
    for n in range(4):
        one.add(job(n, prompt(n, 90)))
    assert len(one.turn().started) == 4
    assert texts(run(one, memory)) == {n: spelled(reply_to(prompt(n, 90), 5)) for n in range(4)}
