"""What other packages add, and what is said where one is missing."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest
from typer.testing import CliRunner

from npc_server import __version__, plugins
from npc_server.cli.app import app
from npc_server.config import EngineSettings, load_settings
from npc_server.errors import BadInput
from npc_server.llm.embed import HashedWordsEmbedder
from npc_server.llm.no_model import NoModelEngine
from npc_server.llm.start import open_engine
from npc_server.session.host import Host

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

EVAL = tomllib.loads((Path(__file__).parents[1] / "npc_eval" / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """npc-server without any other package."""
    monkeypatch.setattr(plugins, "entry_points", lambda **_: EntryPoints())


def installed(monkeypatch: pytest.MonkeyPatch, version: str, value: str) -> None:
    class Dist:
        name = "npc-eval"

    Dist.version = version  # type: ignore[attr-defined]
    entry = EntryPoint("hello", value, plugins.COMMANDS)
    vars(entry)["dist"] = Dist()
    monkeypatch.setattr(plugins, "entry_points", lambda **_: EntryPoints([entry]))


def test_what_npc_eval_adds_is_what_is_said_to_be_in_it() -> None:
    assert {group: tuple(sorted(names)) for group, names in EVAL["entry-points"].items()} == plugins.OF_EVAL


def test_everything_that_npc_eval_adds_can_be_loaded() -> None:
    for group, names in plugins.OF_EVAL.items():
        assert all(plugins.find(group, name) is not None for name in names)


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("name", plugins.OF_EVAL[plugins.COMMANDS])
def test_a_command_of_a_missing_package_says_how_to_get_it(name: str) -> None:
    with pytest.raises(BadInput, match=rf"{name!r} is a part of npc-eval.*npc-server\[eval\]"):
        CliRunner().invoke(app, [name, "--help"], catch_exceptions=False)


@pytest.mark.usefixtures("alone")
def test_the_own_commands_need_no_other_package() -> None:
    shown = CliRunner().invoke(app, ["--help"], catch_exceptions=False).output
    assert "serve" in shown
    assert "bench" not in shown
    assert CliRunner().invoke(app, ["evl"]).exit_code == 2


@pytest.mark.usefixtures("alone")
async def test_an_engine_of_a_missing_package_says_how_to_get_it() -> None:
    with pytest.raises(BadInput, match=r"'recorded' is a part of npc-eval.*npc-server\[eval\]"):
        await open_engine(EngineSettings(model="recorded:lives/one"))


@pytest.mark.usefixtures("alone")
async def test_a_host_whose_minds_need_a_missing_package_does_not_start(tmp_path: Path) -> None:
    settings = load_settings(save={"folder": tmp_path}, mind={"profile": "generative-agents"})
    with pytest.raises(BadInput, match="'generative-agents' is a part of npc-eval"):
        Host(settings, NoModelEngine("None."), HashedWordsEmbedder())


def test_a_command_of_another_package_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, __version__, "tests.test_plugins:hello")
    assert "hello" in CliRunner().invoke(app, ["--help"]).output
    assert CliRunner().invoke(app, ["hello", "Mara"], catch_exceptions=False).output == "Hello, Mara\n"


def test_a_package_of_another_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, "9.9", "tests.test_plugins:hello")
    with pytest.raises(BadInput, match=r"npc-eval is version 9\.9.*Install both together"):
        plugins.find(plugins.COMMANDS, "hello")


def hello(name: str) -> None:
    print(f"Hello, {name}")
