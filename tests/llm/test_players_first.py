"""A player's request on a real llama.cpp model while others think."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from npc_server.errors import DeadlinePassed
from npc_server.llm.engine import Priority, Request
from npc_server.llm.llama import Interrupted, LlamaContext, LlamaModel, Rows, Shape
from tests.llm.conftest import StartEngine
from tests.llm.kinds import ENDLESS, KINDS
from tests.waiting import until

pytestmark = pytest.mark.model

THOUGHT = Request("", "Go on", ENDLESS, 1, max_tokens=12000, temperature=0.0)
LINE = Request("You are Mara.", "Hello?", KINDS["text"], 2, max_tokens=40, priority=Priority.PLAYER)


async def test_a_thought_stands_still_while_a_player_is_answered_and_then_goes_on(start_engine: StartEngine) -> None:
    engine = start_engine(max_parallel=1, context_tokens=16384, others_share=0.0)
    await engine.loaded()
    pieces: list[str] = []
    heard: list[int] = []
    thought = asyncio.create_task(engine.complete(THOUGHT, pieces.append))
    await until(lambda: len(pieces) > 3)
    answer = await engine.complete(LINE, lambda text: heard.append(len(pieces)))
    assert answer.text
    assert not thought.done()
    assert len(heard) > 3
    assert heard[-1] == heard[0], "nothing was thought between the first word and the last"
    await until(lambda: len(pieces) > heard[-1] + 3)
    thought.cancel()


async def test_a_line_is_counted_and_read_in_the_middle_of_others_long_prompts(start_engine: StartEngine) -> None:
    engine = start_engine(max_parallel=4, context_tokens=32768, batch_tokens=512, share=False)
    await engine.loaded()
    prompts = [replace(THOUGHT, user="word " * 1800 + str(n), max_tokens=4) for n in range(4)]
    thoughts = [asyncio.create_task(engine.complete(prompt)) for prompt in prompts]
    await until(lambda: engine.process.running)
    assert await engine.count_tokens(["a word"])
    await engine.complete(LINE)
    assert not any(thought.done() for thought in thoughts)
    assert all(done.text for done in await asyncio.gather(*thoughts))


async def test_seconds_of_players_are_not_counted_in_a_thoughts_deadline(start_engine: StartEngine) -> None:
    """The process is stopped, so that neither is answered; only the clocks run."""
    engine = start_engine(max_parallel=2, context_tokens=16384, deadline_s=0.2, player_deadline_s=1.0)
    await engine.loaded()
    os.kill(engine.process.pid, signal.SIGSTOP)
    line = asyncio.create_task(engine.complete(LINE))
    await asyncio.sleep(0)
    began = time.monotonic()
    with pytest.raises(DeadlinePassed, match=r"within 0\.2 s"):
        await engine.complete(THOUGHT)
    assert time.monotonic() - began >= 1.0
    with pytest.raises(DeadlinePassed, match=r"within 1 s"):
        await line
    os.kill(engine.process.pid, signal.SIGCONT)


def opened(path: Path) -> LlamaContext:
    return LlamaContext(LlamaModel(path, 0), Shape(4096, 512, 4, 1))


def rows(seed: int, count: int, sequence: int) -> Rows:
    tokens = np.random.default_rng(seed).integers(5, 200, count)
    return Rows.of((int(token), at, sequence, at == count - 1) for at, token in enumerate(tokens))


def test_an_interrupted_decode_leaves_the_context_as_it_was_once_it_is_cut(random_model: Path) -> None:
    fresh, used = opened(random_model), opened(random_model)
    assert fresh.decode(rows(1, 100, 0))
    wanted = fresh.logits().copy()
    assert used.decode(rows(2, 50, 1))
    used.interrupt.ask()
    with pytest.raises(Interrupted):
        used.decode(rows(1, 100, 0), may_interrupt=True)
    used.cut(0)
    used.interrupt.clear()
    assert used.decode(rows(1, 100, 0), may_interrupt=True)
    np.testing.assert_allclose(used.logits(), wanted, rtol=1e-4, atol=1e-4)
    used.interrupt.ask()
    used.cut(0)
    assert used.decode(rows(1, 100, 0)), "who may not be interrupted is not"
    for context in (fresh, used):
        context.close()


def test_with_a_graphics_card_no_decode_is_interrupted(random_model: Path) -> None:
    context = opened(random_model)
    context.model.uses_card = True
    context.interrupt.ask()
    assert context.decode(rows(1, 100, 0), may_interrupt=True)
    context.close()


@pytest.mark.parametrize(("layers", "uses", "all_of_it"), [(-1, True, True), (2, True, True), (1, True, False), (0, False, False)])
def test_a_model_knows_how_much_of_it_a_card_runs(
    random_model: Path, monkeypatch: pytest.MonkeyPatch, layers: int, uses: bool, all_of_it: bool
) -> None:
    monkeypatch.setattr("npc_server.llm.llama.lib.llama_supports_gpu_offload", lambda: True)
    model = LlamaModel(random_model, layers)
    assert (model.uses_card, model.on_card) == (uses, all_of_it)
    model.close()


def decode_again_and_again(context: LlamaContext) -> None:
    while True:
        context.cut(0)
        context.decode(rows(1, 512, 0), may_interrupt=True)


def test_a_decode_is_interrupted_from_another_thread(random_model: Path) -> None:
    context = opened(random_model)
    threading.Timer(0.05, context.interrupt.ask).start()
    with pytest.raises(Interrupted):
        decode_again_and_again(context)
    context.close()
