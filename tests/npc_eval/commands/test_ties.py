"""`npc-server eval ties`."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from npc_eval.commands.ties import ties as command
from npc_eval.society.plot import ties
from npc_server.config import load_settings
from npc_server.errors import BadInput
from npc_server.llm.embed import HashedWordsEmbedder
from npc_server.llm.no_model import NoModelEngine
from npc_server.mind import relationships
from npc_server.session.host import Host
from npc_server.session.inspect_save import opened
from tests.session.conftest import personas, town


@pytest.fixture(scope="module")
def save(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first morning of Millbrook."""

    async def made(folder: Path) -> None:
        host = Host(load_settings(save={"folder": folder}), NoModelEngine("None."), HashedWordsEmbedder())
        await host.create_save("one", town(), personas(), seed=7, start=0)
        await host.close()

    folder = tmp_path_factory.mktemp("saves")
    asyncio.run(made(folder))
    return folder / "one.npcsave"


def run(*words: object) -> str:
    app = typer.Typer()
    app.command()(command)
    done = CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False, standalone_mode=False)
    return done.output


def test_who_is_close_to_whom_can_be_drawn(save: Path, tmp_path: Path) -> None:
    for kind, magic in ((".png", b"\x89PNG"), (".svg", b"<?xml")):
        assert "Drawn to" in run(save, tmp_path / f"town{kind}")
        assert (tmp_path / f"town{kind}").read_bytes().startswith(magic)
    drawn = (tmp_path / "town.svg").read_text(encoding="utf-8")
    assert all(name in drawn for name in ("Mara Voss", "Tobin Hale", "Ines Calder"))


@pytest.mark.parametrize("file", ["x.gif", "/no/such/x.png"])
def test_a_plot_that_cannot_be_drawn_is_refused_before_any_work(save: Path, file: str) -> None:
    with pytest.raises(BadInput):
        run(save, file)


async def test_a_tie_has_two_sides(save: Path) -> None:
    async with opened(save, load_settings().mind) as minds:
        found = ties(minds)
        mara = minds.agents["mara_voss"].mind
        mara.relationships.social["tobin_hale"] = replace(relationships.of(mara, "tobin_hale"), closeness=1)
        changed = ties(minds)
    assert found["mara_voss", "tobin_hale"][0] == 7
    assert changed["mara_voss", "tobin_hale"] == (1, found["mara_voss", "tobin_hale"][1])
