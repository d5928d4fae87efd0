"""Embeddings: by a real llama.cpp embedding model, and by hashed words."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest
import pytest_asyncio

from npc_server.llm.convert_minilm import FILE_NAME
from npc_server.llm.embed import HashedWordsEmbedder, LlamaEmbedder
from npc_server.llm.embed_cache import CachedEmbedder
from npc_server.llm.models import model_folders
from npc_server.llm.start import open_embedder
from tests.llm.conftest import engine_settings
from tests.llm.random_embedder import make_random_embedder

MINILM = model_folders(Path("nowhere"))[0] / FILE_NAME


@pytest_asyncio.fixture
async def embedder(tmp_path: Path) -> AsyncIterator[LlamaEmbedder]:
    path = make_random_embedder(tmp_path / "tiny.gguf")
    opened = await open_embedder(engine_settings(embedding_model=str(path), threads=1, restart_wait_s=0.05), log_file=tmp_path / "log")
    assert isinstance(opened, CachedEmbedder)
    assert isinstance(opened.inner, LlamaEmbedder)
    yield opened.inner  # without what it knows already
    await opened.close()


@pytest.mark.model
async def test_each_text_gets_a_unit_row_of_its_own(embedder: LlamaEmbedder) -> None:
    assert (embedder.name, embedder.dimensions) == ("tiny/64", 64)
    texts = [f"{letter} {letter * 3} b" for letter in "acdefghijklmnopqrstuvwxyz"] * 3  # more than a batch has sequences
    rows = await embedder.embed(texts)
    assert rows.shape == (75, 64)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    alone = np.concatenate([await embedder.embed([text]) for text in texts[:20]])
    assert np.allclose(rows[:20], alone, atol=1e-3), "a row is of its own text, whatever else is in the batch"
    assert np.linalg.norm(rows[0] - rows[1]) > 0.05


@pytest.mark.model
async def test_no_text_empty_text_and_endless_text(embedder: LlamaEmbedder) -> None:
    assert (await embedder.embed([])).shape == (0, 64)
    rows = await embedder.embed(["", "a " * 5000, "\ud800 \x00 🙂"])
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)


@pytest.mark.model
async def test_killed_embedder_answers_after_its_restart(embedder: LlamaEmbedder) -> None:
    before = await embedder.embed(["a b c"])
    os.kill(embedder.process.pid, signal.SIGKILL)
    await asyncio.sleep(0)
    assert np.allclose(await embedder.embed(["a b c"]), before, atol=1e-5)
    assert embedder.process.restarts == 1


@pytest.mark.model
@pytest.mark.skipif(not MINILM.is_file(), reason="no MiniLM here: npc-server model make-embedder")
async def test_minilm_ranks_related_sentences_first(tmp_path: Path) -> None:
    embedder = await open_embedder(engine_settings(threads=1), log_file=tmp_path / "log")
    assert embedder.name == "all-minilm-l6-v2/384"
    pairs = [
        ("What does Klaus study?", "Klaus is writing a research paper on gentrification"),
        ("Who is throwing a party?", "Isabella is planning a Valentine's Day party at Hobbs Cafe"),
        ("There is nothing to eat at home", "The refrigerator is empty"),
    ]
    rows = await embedder.embed([question for question, _ in pairs] + [fact for _, fact in pairs])
    near = rows[:3] @ rows[3:].T
    assert near.argmax(axis=1).tolist() == [0, 1, 2], near
    others = near[~np.eye(3, dtype=bool)]
    assert near.diagonal().min() > others.max() + 0.15, near
    await embedder.close()


async def test_without_a_model_words_are_hashed(tmp_path: Path) -> None:
    for name in ("none", "", "no-such-model", str(tmp_path)):
        assert isinstance(await open_embedder(engine_settings(embedding_model=name, models_folder=tmp_path)), HashedWordsEmbedder)


@pytest.mark.model
async def test_chat_model_is_no_embedder(random_model: Path) -> None:
    assert isinstance(await open_embedder(engine_settings(embedding_model=str(random_model))), HashedWordsEmbedder)


async def test_texts_that_share_words_are_near() -> None:
    embedder = HashedWordsEmbedder()
    rows = await embedder.embed(["Mara bakes bread at dawn", "The baker was baking breads", "The miller counts his sacks", "", "🙂"])
    assert rows.shape == (5, embedder.dimensions)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    assert rows[0] @ rows[1] > rows[0] @ rows[2] + 0.1


async def test_hashed_words_are_the_same_on_every_machine() -> None:
    row = (await HashedWordsEmbedder().embed(["bread"]))[0]
    assert sorted(np.flatnonzero(row).tolist()) == EXPECTED_PLACES


EXPECTED_PLACES = [20, 49, 53, 68, 88, 375]
