"""The same questions to the compiled llama-cpp-python, to xllamacpp and to llama-server."""

from __future__ import annotations

import asyncio
import importlib.util
import os
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest
import pytest_asyncio

from npc_server.errors import DeadlinePassed, EngineError
from npc_server.llm.engine import Embedder, LineInTalk, Priority, Request
from npc_server.llm.rerank import open_reranker
from npc_server.llm.start import open_embedder
from npc_server.llm.worker import LlamaEngine
from tests.in_the_box import EMBEDDER, MODEL, needs_embedder, needs_model
from tests.llm.conftest import engine_settings
from tests.llm.endpoint.test_real_servers import llama_server, needs_llama_server
from tests.llm.kinds import ENDLESS, KINDS
from tests.waiting import until

needs_xllamacpp = pytest.mark.skipif(importlib.util.find_spec("xllamacpp") is None, reason="there is no xllamacpp; make setup installs it")
SERVED = [
    pytest.param("xllamacpp", marks=needs_xllamacpp),
    pytest.param(llama_server(), marks=needs_llama_server, id="llama-server"),
]
pytestmark = [pytest.mark.model, pytest.mark.parametrize("runtime", SERVED)]
PATIENT = {"deadline_s": 3600, "player_deadline_s": 3600, "hang_s": 3600, "threads": 1, "restart_wait_s": 0.05}
TEXTS = ["the oven is cold", "a ship sails at dawn [SEP] <s>", "word " * 700, "Müller’s çafé 你好", ""]
LINES = ["Yes, the oven is cold.", "The ship sails at dawn.", "No idea.", "I am the baker here."]


@pytest_asyncio.fixture
async def engine(runtime: str, tmp_path: Path) -> AsyncIterator[LlamaEngine]:
    made = LlamaEngine(MODEL, engine_settings(**PATIENT, runtime=runtime, max_parallel=2), log_file=tmp_path / "model.log")
    assert (await made.loaded()).ready, made.status().problem
    yield made
    await made.close()


async def embedder_with(runtime: str) -> Embedder:
    return await open_embedder(engine_settings(**PATIENT, runtime=runtime, embedding_model=str(EMBEDDER), reranker="none"))


@needs_embedder
async def test_vectors_and_answers_are_those_of_the_compiled_one(runtime: str) -> None:
    found = []
    for one in ("llama-cpp-python", runtime):
        embedder = await embedder_with(one)
        scores = await embedder.answers("Is the oven warm?", LINES)
        assert scores is not None
        found.append((await embedder.embed(TEXTS), scores))
        await embedder.close()
    (vectors, scores), (others, other_scores) = found
    assert ((vectors * others).sum(axis=1) > 0.999).all()
    assert np.abs(scores - other_scores).max() < 0.1


@needs_model
async def test_answers_are_read_again_as_the_compiled_one_does(runtime: str) -> None:
    heard = LineInTalk("Is the oven warm?", "You are Mara Voss. She runs the bakery.", ((False, "Hello"), (True, "Good morning.")))
    found = []
    for one in ("llama-cpp-python", runtime):
        reranker = await open_reranker(engine_settings(**PATIENT, runtime=one))
        assert reranker is not None
        reranker.deadline_s = 3600
        found.append(await reranker.log_odds(heard, LINES))
        await reranker.close()
    ours, theirs = found
    assert ours is not None
    assert theirs is not None
    assert np.abs(ours - theirs).max() < 0.5


@needs_model
async def test_reply_keeps_to_its_form(engine: LlamaEngine) -> None:
    for name, reply in KINDS.items():
        asked = Request("You are Mara, a baker.", f"Say what you do.\nAnswer with:\n{reply.format_text()}", reply, 5, max_tokens=200)
        done = await engine.complete(asked)
        assert done.prompt_tokens > 0, name
        if not done.truncated:
            reply.parse(done.text)


@needs_model
async def test_chat_is_not_read_again_and_no_word_becomes_a_mark(engine: LlamaEngine) -> None:
    words = "Good morning! <|im_end|>"
    await engine.complete(Request("You are Mara, a baker.", words, KINDS["text"], 1, free=True, one_line=True, max_tokens=8))
    again = Request("You are Mara, a baker.", words, KINDS["text"], 1, free=True, one_line=True, max_tokens=8, priority=Priority.PLAYER)
    assert (await engine.complete(again)).cached_tokens > 10
    plain, marked = await engine.count_tokens(["im_end", "<|im_end|>"])
    assert marked > plain


@needs_model
async def test_texts_are_as_likely_as_the_compiled_one_finds_them(engine: LlamaEngine, tmp_path: Path) -> None:
    asked = Request("You are Mara, a baker.", "Good morning! What do you sell?", KINDS["text"], 1)
    texts = ["I sell bread.", "The ship sails at dawn.", "Grüße an Zoë!", " "]
    assert engine.status().scores
    ours = await engine.score(asked, "", texts)
    compiled = LlamaEngine(MODEL, engine_settings(**PATIENT, runtime="llama-cpp-python"), log_file=tmp_path / "compiled.log")
    theirs = await compiled.score(asked, "", texts)
    await compiled.close()
    for one, other in zip(ours, theirs, strict=True):
        assert one.tokens == other.tokens
        assert one.logprob == pytest.approx(other.logprob, rel=0.04, abs=0.1)
    assert ours[0].logprob > ours[1].logprob
    (again,) = await engine.score(asked, "", texts[:1])
    assert again.logprob == pytest.approx(ours[0].logprob, rel=0.04)
    assert again.read_tokens < ours[0].read_tokens
    with pytest.raises(EngineError, match="part of a character"):
        await engine.score(asked, "", ["你好 ☕"])


@needs_model
async def test_request_that_nobody_wants_frees_its_place(engine: LlamaEngine) -> None:
    begun = asyncio.Event()
    endless = Request("You are Mara.", "Recite.", ENDLESS, 1, max_tokens=1500)
    asking = [asyncio.create_task(engine.complete(endless, lambda _: begun.set())) for _ in range(2)]
    await begun.wait()
    for task in asking:
        task.cancel()
    assert KINDS["integer"].parse((await engine.complete(Request("You are Mara.", "How many?", KINDS["integer"], 1))).text)
    with pytest.raises(DeadlinePassed):
        await engine.complete(Request("You are Mara.", "Recite.", ENDLESS, 1, max_tokens=1500, deadline_s=0.2))


@needs_model
async def test_process_that_is_killed_is_started_again(engine: LlamaEngine) -> None:
    os.kill(engine.process.pid, 9)
    await until(lambda: engine.process.restarts)
    assert (await engine.complete(Request("You are Mara.", "How many?", KINDS["integer"], 1))).text
