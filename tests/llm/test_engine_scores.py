"""The likelihood of given texts, by a real llama.cpp model (random weights) and by the engines that have none."""

from __future__ import annotations

import asyncio
import os
import signal
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from npc_eval.stand_in import StandIn
from npc_server.errors import DeadlinePassed, EngineError, ModelMissing, Overloaded, PromptTooLong
from npc_server.llm.engine import Likelihood, Priority, Request
from npc_server.llm.llama import LlamaContext, LlamaModel, Rows, Shape
from npc_server.llm.lockstep import WaveEngine
from npc_server.llm.no_model import NoModelEngine
from npc_server.llm.scripted import ScriptedEngine
from tests.llm.conftest import StartEngine
from tests.llm.kinds import ENDLESS, KINDS
from tests.waiting import until

PERSONA = "You are Mara, who bakes bread in Millbrook. You rise early, and you owe the miller money. " * 3
ASKED = Request(PERSONA, "Ben asks what a loaf costs.", KINDS["text"], 1, temperature=0.0, max_tokens=20)
GIVEN = "agrees: no\nsay: "
TEXTS = ["Three coins, as always.", "Hello!", "2 coins", "Grüße, 你好 ☕", "Three coins for you, and four for the miller.", " "]

CLOSE = 1e-3
"""A batch of another size changes the last digits of each logit. Texts here differ by more than a tenth."""


def logprobs(found: list[Likelihood]) -> list[float]:
    return [it.logprob for it in found]


def plainly(path: Path, request: Request, given: str, text: str) -> tuple[float, int]:
    """The same with llama.cpp alone: the whole text in one decode, all its logits, and the softmax."""
    model = LlamaModel(path, 0)
    read = model.tokenizer.read_template
    before = read(
        f"<|im_start|>system\n{request.system.strip()}<|im_end|>\n<|im_start|>user\n{request.user}<|im_end|>\n<|im_start|>assistant\n"
    )
    words, start = read(given + text), read(given.rstrip(" "))
    assert words[: len(start)] == start
    tokens = [*before, *words]
    context = LlamaContext(model, Shape(1024, 1024, 1, 1))
    context.decode(Rows.of((token, at, 0, True) for at, token in enumerate(tokens)))
    logits = context.logits().astype(np.float64)
    chances = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    first = len(before) + len(start)
    total = float(sum(chances[at - 1, tokens[at]] for at in range(first, len(tokens))))
    context.close()
    model.close()
    return total, len(tokens) - first


@pytest.mark.model
@pytest.mark.parametrize("layout", [{"kv_cache": "pool"}, {"kv_cache": "streams", "stream_tokens": 1024}])
async def test_scores_are_those_of_llama_cpp(start_engine: StartEngine, random_model: Path, layout: dict[str, object]) -> None:
    engine = start_engine(**layout)
    found = await engine.score(ASKED, GIVEN, TEXTS)
    plain = [plainly(random_model, ASKED, GIVEN, text) for text in TEXTS]
    assert [it.tokens for it in found] == [count for _, count in plain]
    assert logprobs(found) == pytest.approx([total for total, _ in plain], rel=CLOSE)
    assert len({round(it.mean, 3) for it in found}) == len(TEXTS), "the scores must tell the texts apart, or this test shows nothing"


@pytest.mark.model
async def test_scores_together_equal_those_one_by_one_and_beside_replies(start_engine: StartEngine) -> None:
    engine = start_engine(max_parallel=3)
    alone = [(await engine.score(ASKED, GIVEN, [text]))[0].logprob for text in TEXTS]
    reply = (await engine.complete(ASKED)).text
    beside = await asyncio.gather(engine.score(ASKED, GIVEN, TEXTS), engine.complete(ASKED), engine.complete(replace(ASKED, user="And?")))
    assert logprobs(beside[0]) == pytest.approx(alone, rel=CLOSE)
    assert beside[1].text == reply


@pytest.mark.model
async def test_after_a_reply_only_the_texts_are_read(start_engine: StartEngine) -> None:
    engine = start_engine()
    done = await engine.complete(ASKED)
    for likelihood in await engine.score(ASKED, "say: ", TEXTS):
        # The last token of the prompt and of what is given are decoded again, and the last of the text is not.
        assert likelihood.read_tokens <= likelihood.tokens + len("say:")
    again = await engine.complete(ASKED)
    assert again.cached_tokens == done.prompt_tokens - 1


@pytest.mark.model
async def test_texts_without_tokens_and_no_texts_are_answered(start_engine: StartEngine) -> None:
    engine = start_engine()
    assert await engine.score(ASKED, "", [""]) == [Likelihood(0.0, 0)]
    assert await engine.score(ASKED, GIVEN, []) == []
    assert engine.status().scores


@pytest.mark.model
async def test_what_is_given_changes_the_score(start_engine: StartEngine) -> None:
    engine = start_engine()
    one, other, none = [(await engine.score(ASKED, given, TEXTS[:1]))[0] for given in ("say: ", "think: ", "")]
    assert len({round(it.logprob, 2) for it in (one, other, none)}) == 3


@pytest.mark.model
async def test_cancelled_score_frees_its_sequences(start_engine: StartEngine) -> None:
    engine = start_engine(max_parallel=2, context_tokens=16384)
    await engine.loaded()
    task = asyncio.create_task(engine.score(ASKED, "", ["bread and " * 1500, "more bread " * 1500, "oven " * 1500]))
    await until(lambda: engine.process.running)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until(lambda: engine.process.load == engine.process.running == 0)
    assert (await engine.complete(replace(ASKED, max_tokens=12000, reply=ENDLESS, system=""))).text


@pytest.mark.model
async def test_deadline_ends_a_score(start_engine: StartEngine) -> None:
    engine = start_engine(context_tokens=16384)
    await engine.loaded()
    with pytest.raises(DeadlinePassed):
        await engine.score(replace(ASKED, deadline_s=0.001, priority=Priority.PLAYER), "", ["bread and " * 1500] * 3)
    await until(lambda: engine.process.load == engine.process.running == 0)
    assert await engine.score(ASKED, GIVEN, TEXTS)


@pytest.mark.model
async def test_one_that_is_too_long_fails_the_call_and_frees_the_others(start_engine: StartEngine) -> None:
    engine = start_engine(max_parallel=1)
    with pytest.raises(PromptTooLong):
        await engine.score(ASKED, GIVEN, ["bread " * 500] * 6 + ["bread and " * 4000])
    for _ in range(3):
        await asyncio.sleep(0)
    assert engine.process.load == 0, "the others are let go of, not brought to their end"
    await until(lambda: engine.process.running == 0)
    assert len(await engine.score(ASKED, GIVEN, TEXTS)) == len(TEXTS)


@pytest.mark.model
async def test_full_queue_refuses_a_score(start_engine: StartEngine) -> None:
    engine = start_engine(max_parallel=1, queue_limit=1)
    waiting = asyncio.gather(engine.complete(ASKED), engine.complete(ASKED))
    await until(lambda: engine.process.load == 2)
    with pytest.raises(Overloaded):
        await engine.score(ASKED, GIVEN, TEXTS)
    await waiting


@pytest.mark.model
async def test_score_survives_the_model_process(start_engine: StartEngine) -> None:
    engine = start_engine()
    before = await engine.score(ASKED, GIVEN, TEXTS)
    os.kill(engine.process.pid, signal.SIGKILL)
    await until(lambda: not engine.process.ready)
    after = await engine.score(ASKED, GIVEN, TEXTS)
    assert logprobs(after) == pytest.approx(logprobs(before), rel=CLOSE)
    assert engine.status().restarts == 1


async def test_score_waits_for_its_wave() -> None:
    inner = ScriptedEngine(lambda request: "yes", logprob=lambda request, given, text: -float(len(given + text)))
    wave = WaveEngine(inner)
    thinking = asyncio.Event()

    async def thinker() -> None:
        async with wave.task():
            await thinking.wait()

    async def asker() -> list[Likelihood]:
        async with wave.task():
            return await wave.score(ASKED, "say: ", ["one", "three"])

    both = asyncio.gather(thinker(), asker())
    for _ in range(20):
        await asyncio.sleep(0)
    assert wave.status().waiting == 1
    thinking.set()
    assert logprobs((await both)[1]) == [-8.0, -10.0]


async def test_engines_without_probabilities_say_so_before_and_after() -> None:
    for engine in (StandIn(), ScriptedEngine(lambda request: "yes")):
        assert not engine.status().scores
        with pytest.raises(EngineError, match="cannot say how likely a text is"):
            await engine.score(ASKED, GIVEN, TEXTS)
    without = NoModelEngine("No model is set.")
    assert not without.status().scores
    with pytest.raises(ModelMissing):
        await without.score(ASKED, GIVEN, TEXTS)
