"""npc-answers as a model of its own: made once beside the other models, and it reads as with its adapter put on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from npc_server.config import EngineSettings
from npc_server.errors import ModelMissing
from npc_server.llm import answers_model, start
from npc_server.llm.answers_head import ADAPTER, read_head
from npc_server.llm.answers_model import FILE_NAME, merged_answers
from npc_server.llm.embed import LlamaEmbedder
from npc_server.llm.gguf_header import read_header
from npc_server.llm.models import local_models
from tests.in_the_box import EMBEDDER, needs_embedder

LINE = "where's the spare key?"
TEXTS = ["The spare key is under the blue pot.", "I bought six eggs.", "Osgood lost his spectacles at the market."]


@needs_embedder
def test_it_is_made_once_and_anew_when_it_was_made_of_others(tmp_path: Path) -> None:
    model = read_header(EMBEDDER)
    made = merged_answers(model, [tmp_path / "models"])
    assert made == tmp_path / "models" / FILE_NAME
    assert np.array_equal(read_head(read_header(made), 384).weights, read_head(read_header(ADAPTER), 384).weights)
    first = made.stat().st_mtime_ns
    assert merged_answers(model, [made.parent]) == made
    assert merged_answers(model, [tmp_path / "elsewhere", made.parent]) == made
    assert made.stat().st_mtime_ns == first
    other = tmp_path / "other.lora.gguf"
    other.write_bytes(ADAPTER.read_bytes() + b"\0")
    assert merged_answers(model, [made.parent], other) == made
    assert made.stat().st_mtime_ns > first
    made.write_bytes(b"half a file")
    assert merged_answers(model, [made.parent]) == made
    assert read_header(made).size > 1_000_000
    assert [it.name for it in made.parent.iterdir()] == [FILE_NAME]
    assert made not in [it.path for it in local_models(made.parent)]  # nobody can choose it as a model


@needs_embedder
def test_where_it_cannot_be_made_there_is_none_and_nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = read_header(EMBEDDER)
    (tmp_path / "file").write_text("no folder")
    assert merged_answers(model, [tmp_path / "file"]) is None

    def without_gguf(*_: object) -> None:
        raise ModelMissing("The package gguf is missing.", "Install the extra.")

    monkeypatch.setattr(answers_model, "merge", without_gguf)
    assert merged_answers(model, [tmp_path]) is None
    assert [it.name for it in tmp_path.iterdir()] == ["file"]


@pytest.mark.model
@needs_embedder
async def test_it_tells_what_it_tells_with_the_adapter_put_on(tmp_path: Path) -> None:
    header, settings = read_header(EMBEDDER), EngineSettings(threads=1)
    found, vectors = [], []
    for answers in (None, merged_answers(header, [tmp_path])):
        embedder = LlamaEmbedder(header, settings, answers=answers)
        try:
            await embedder.process.settled()
            scores = await embedder.answers(LINE, TEXTS)
            assert scores is not None
            found.append(scores)
            vectors.append(await embedder.embed(TEXTS))
        finally:
            await embedder.close()
    put_on, merged = found
    assert np.abs(merged - put_on).max() < 0.1
    assert np.ptp(put_on) > 5
    assert (vectors[0] == vectors[1]).all()


@pytest.mark.model
@needs_embedder
async def test_the_server_makes_it_and_reads_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start, "model_folders", lambda folder: (folder,))
    settings = EngineSettings(threads=1, reranker="none", models_folder=tmp_path, embedding_model=str(EMBEDDER))
    embedder = await start.open_embedder(settings)
    try:
        assert (tmp_path / FILE_NAME).is_file()
        scores = await embedder.answers(LINE, TEXTS)
        assert scores is not None
        assert scores.argmax() == 0
    finally:
        await embedder.close()
