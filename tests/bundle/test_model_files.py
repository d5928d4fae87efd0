"""Which models go into a bundle. They are tiny ones, made here."""

from __future__ import annotations

from pathlib import Path

import pytest

from npc_eval.random_model import make_random_model
from npc_server.bundle.copies import Copy
from npc_server.bundle.model_files import TARGET, model_files, unneeded
from npc_server.config import AdapterSettings, EngineSettings
from npc_server.errors import ModelMissing
from npc_server.llm import models
from npc_server.llm.vector_file import EXCHANGES, vector_file

NOTHING = {"model": "none", "embedding_model": "none", "reranker": "none"}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder in which models are looked for."""
    monkeypatch.setattr(models, "model_folders", lambda folder: (folder,))
    return tmp_path


def settings(folder: Path, **given: object) -> EngineSettings:
    return EngineSettings.model_validate({**NOTHING, "models_folder": folder, **given})


def test_the_model_of_the_settings_comes_where_the_server_finds_it(folder: Path) -> None:
    made = make_random_model(folder / "small.gguf")
    assert list(model_files(settings(folder, model="small"))) == [Copy(made, Path("packages/npc_server/data/models/small.gguf"))]


def test_a_model_that_serves_twice_comes_once_and_adapters_come_along(folder: Path) -> None:
    make_random_model(folder / "small.gguf")
    (folder / "sea.lora.gguf").write_text("")
    engine = settings(
        folder, model="small", embedding_model=str(folder / "small.gguf"), adapters=(AdapterSettings(file="sea.lora.gguf", scale=1),)
    )
    assert [copy.target.name for copy in model_files(engine)] == ["small.gguf", "sea.lora.gguf"]


def test_without_a_model_or_with_one_behind_an_address_nothing_comes(folder: Path) -> None:
    assert list(model_files(settings(folder))) == []
    assert list(model_files(settings(folder, model="http://127.0.0.1:8080/v1"))) == []


def test_vectors_that_were_computed_come_with_their_embedding_model(folder: Path) -> None:
    make_random_model(folder / "words.gguf")
    (folder / "exchanges-words-64.npz").write_text("")
    (folder / "exchanges-others-64.npz").write_text("")
    assert [copy.target.name for copy in model_files(settings(folder, embedding_model="words"))] == ["words.gguf", "exchanges-words-64.npz"]


def test_vectors_are_found_by_the_name_that_the_server_gives_them(folder: Path) -> None:
    make_random_model(folder / "Our_Words.gguf")
    kept = vector_file(folder, EXCHANGES, "Our_Words/64")
    kept.write_text("")
    assert Copy(kept, TARGET / kept.name) in model_files(settings(folder, embedding_model="Our_Words"))


def test_vectors_are_found_where_models_are(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clone = folder / "clone"
    clone.mkdir()
    monkeypatch.setattr(models, "model_folders", lambda folder: (folder, clone))
    make_random_model(folder / "words.gguf")
    (clone / "exchanges-words-64.npz").write_text("")
    assert Copy(clone / "exchanges-words-64.npz", TARGET / "exchanges-words-64.npz") in model_files(
        settings(folder, embedding_model="words")
    )


def test_a_missing_model_is_named_with_the_command_that_makes_it(folder: Path) -> None:
    with pytest.raises(ModelMissing, match=r"'npc-rerank' is not on this machine.*npc-server model pull npc-rerank"):
        list(model_files(settings(folder, reranker="npc-rerank")))


def test_a_model_that_another_version_made_is_named_with_the_command_that_makes_it(folder: Path) -> None:
    make_random_model(folder / "npc-rerank.gguf")
    with pytest.raises(ModelMissing, match=r"made by another version.*npc-server model pull npc-rerank"):
        list(model_files(settings(folder, reranker="npc-rerank")))


def test_an_adapter_that_is_part_of_a_model_stays_behind_with_that_model_only() -> None:
    assert unneeded(()) == ()
    assert [path.name for path in unneeded((Copy(Path("/x"), Path("npc-rerank.gguf")),))] == ["npc-rerank-base.lora.gguf"]


def test_the_best_model_that_is_here_comes_along_only_by_name(folder: Path) -> None:
    make_random_model(folder / "qwen2.5-coder-0.5b.gguf")
    assert "qwen2.5-coder-0.5b.gguf" not in [copy.target.name for copy in model_files(settings(folder, model="best"))]
    named = model_files(settings(folder, model="qwen2.5-coder-0.5b"))
    assert "qwen2.5-coder-0.5b.gguf" in [copy.target.name for copy in named]
