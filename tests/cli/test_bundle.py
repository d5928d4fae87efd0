"""`npc-server bundle`, as a user types it. The bundle itself is tested in tests/bundle."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer import Typer
from typer.testing import CliRunner

from npc_server.bundle.model_files import TARGET
from npc_server.bundle.place import Bundle, Mark
from npc_server.cli import bundle as command
from npc_server.config import EngineSettings
from npc_server.errors import BadInput, ModelMissing

MARK = Mark("0.1.0", "", (), "", 35, (), ())


def run(*words: str) -> str:
    app = Typer()
    app.command()(command.bundle)
    result = CliRunner().invoke(app, list(words), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[EngineSettings | None]:
    """What bundles were asked for. None is made."""
    found: list[EngineSettings | None] = []

    def make(folder: Path, engine: EngineSettings | None) -> Bundle:
        found.append(engine)
        return Bundle(folder, True, 400_000_000, MARK)

    monkeypatch.setattr(command, "make_bundle", make)
    return found


def test_it_takes_the_models_of_the_settings_or_those_that_are_named_or_none(asked: list[EngineSettings | None], tmp_path: Path) -> None:
    run(str(tmp_path / "b"), "--model", "qwen3-1.7b", "--embedding-model", "none")
    assert asked[0] is not None
    assert (asked[0].model, asked[0].embedding_model) == ("qwen3-1.7b", "none")
    run(str(tmp_path / "b"), "--without-models")
    assert asked[1] is None


def test_it_says_where_how_large_and_for_whom(asked: list[EngineSettings | None], tmp_path: Path) -> None:
    said = run(str(tmp_path / "b")).replace("\n", " ")
    assert f"Made: {tmp_path / 'b'} (400 MB)" in said
    assert "It runs on Linux with glibc 2.35 or newer." in said
    assert "processors" not in said


def test_it_warns_of_processors_and_licences(tmp_path: Path) -> None:
    mark = Mark("0.1.0", "", (), "", 35, ("AVX512",), ("libown.so.1",))
    notes = command._notes(Bundle(tmp_path, True, 1, mark))
    assert notes[1].startswith("Its models run only on processors with AVX512;")
    assert notes[1].endswith("run make setup CPU=v3 in the clone of npc-server, and try again.")
    assert notes[2] == f"No licence was found of libown.so.1. Add it to {tmp_path / 'licences'}."


def test_it_says_that_the_vectors_of_the_exchanges_are_missing(tmp_path: Path) -> None:
    models = tmp_path / TARGET
    models.mkdir(parents=True)
    (models / "npc-answers.merged").write_text("")
    made = Bundle(tmp_path, True, 1, MARK)
    assert "npc-server model prepare-exchanges" in command._notes(made)[1]
    (models / "exchanges-words-64.npz").write_text("")
    assert len(command._notes(made)) == 1


def test_a_folder_that_is_something_else_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "save").write_text("")
    with pytest.raises(BadInput, match="is not a bundle"):
        run(str(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["save"]


def test_a_missing_model_is_named_before_anything_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPC_SERVER_ENGINE__MODELS_FOLDER", str(tmp_path / "models"))
    with pytest.raises(ModelMissing, match="No model is called 'no-such-model'"):
        run(str(tmp_path / "b"), "--model", "no-such-model")
    assert list(tmp_path.iterdir()) == []


def test_a_bundle_for_another_system_says_that_nobody_started_it(tmp_path: Path) -> None:
    mark = Mark("0.1.0", "", (), "", 0, (), (), platform="windows", was_run=False)
    notes = command._notes(Bundle(tmp_path, True, 1, mark))
    assert notes[0] == "It is for Windows on x86-64, with Windows 10 or newer."
    assert notes[1].startswith("Its files were checked, and it was not started, since this is another system.")
    mark = Mark("0.1.0", "", (), "", 28, (), (), platform="linux", was_run=True)
    assert command._notes(Bundle(tmp_path, True, 1, mark)) == ["It is for Linux on x86-64, with glibc 2.28 or newer."]


def test_a_platform_needs_a_name_that_is_known_and_an_archive_of_python(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="There is no platform 'amiga'"):
        run(str(tmp_path / "b"), "--without-models", "--platform", "amiga")
    with pytest.raises(BadInput, match=r"--platform needs an archive with Python. Give it with --python. docs/export.md names"):
        run(str(tmp_path / "b"), "--without-models", "--platform", "windows")
