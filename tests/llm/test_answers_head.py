"""npc-answers: how well a text answers a line, as the embedding model in the box reads both."""

from __future__ import annotations

import base64
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from npc_server.config import EngineSettings
from npc_server.errors import ModelRejected
from npc_server.llm.answers_head import ADAPTER, answers_adapter, read_head
from npc_server.llm.embed import LlamaEmbedder
from npc_server.llm.embed_cache import CachedEmbedder
from npc_server.llm.gguf_header import ANSWERS_HEAD, read_header
from tests.in_the_box import EMBEDDER, needs_embedder
from tests.llm.random_embedder import make_random_embedder

MOST_BYTES = 5_000_000


def test_its_adapter_comes_with_the_server_and_is_small() -> None:
    header = read_header(ADAPTER)
    assert header.size < MOST_BYTES
    head = read_head(header, 384)
    assert np.isfinite(head.log_odds(np.ones((2, 384), np.float32))).all()


@pytest.mark.parametrize("head", ["", "nonsense!", base64.b64encode(b"\0" * 8).decode(), base64.b64encode(b"\xff" * 4 * 385).decode()])
def test_a_head_that_does_not_fit_is_refused(head: str) -> None:
    header = read_header(ADAPTER)
    with pytest.raises(ModelRejected, match=ANSWERS_HEAD):
        read_head(replace(header, values={**header.values, ANSWERS_HEAD: head}), 384)


@needs_embedder
def test_it_is_put_on_no_model_but_its_own(tmp_path: Path) -> None:
    assert len(answers_adapter(read_header(EMBEDDER))) == 1
    other = tmp_path / "other.gguf"
    make_random_embedder(other)
    assert answers_adapter(read_header(other)) == ()
    assert answers_adapter(read_header(EMBEDDER), tmp_path / "missing.lora.gguf") == ()
    broken = tmp_path / "broken.lora.gguf"
    broken.write_bytes(ADAPTER.read_bytes()[:1000])
    assert answers_adapter(read_header(EMBEDDER), broken) == ()


@pytest.mark.model
async def test_another_model_tells_nothing(tmp_path: Path) -> None:
    make_random_embedder(tmp_path / "other.gguf")
    embedder = LlamaEmbedder(read_header(tmp_path / "other.gguf"), EngineSettings(threads=1))
    try:
        await embedder.process.settled()
        assert await embedder.answers("Where is the key?", ["In the pot."]) is None
    finally:
        await embedder.close()


@pytest.mark.model
@needs_embedder
async def test_it_tells_what_answers_a_line_and_leaves_vectors_as_they_were() -> None:
    embedder = LlamaEmbedder(read_header(EMBEDDER), EngineSettings(threads=1))
    try:
        await embedder.process.settled()
        before = await embedder.embed(["The key is in the pot."])
        texts = ["The spare key is under the blue pot.", "I bought six eggs.", "Osgood lost his spectacles."]
        scores = await embedder.answers("where's the spare key?", texts)
        assert scores is not None
        assert scores.shape == (3,)
        assert scores[0] > scores[1:].max() + 1
        assert await embedder.answers("hello", []) is not None
        long = await embedder.answers("why " * 400, ["because " * 400])
        assert long is not None
        assert np.isfinite(long).all()
        assert (await embedder.embed(["The key is in the pot."]) == before).all()
    finally:
        await embedder.close()


@pytest.mark.model
@needs_embedder
async def test_the_texts_of_a_line_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    inner = LlamaEmbedder(read_header(EMBEDDER), EngineSettings(threads=1))
    cached = CachedEmbedder(inner)
    try:
        await inner.process.settled()
        asked: list[list[str]] = []
        ask = inner.answers

        async def counted(line: str, texts: list[str]) -> object:
            asked.append(texts)
            return await ask(line, texts)

        monkeypatch.setattr(inner, "answers", counted)
        first = await cached.answers("Where?", ["Here.", "There."])
        again = await cached.answers("Where?", ["There.", "Nowhere."])
        assert first is not None
        assert again is not None
        assert first[1] == again[0]
        assert asked == [["Here.", "There."], ["Nowhere."]]
    finally:
        await cached.close()
