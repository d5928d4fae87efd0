"""`npc-server save`: a folder of saves as a list, and edited files taken over into a save that nobody plays."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from npc_server.cli.app import app
from npc_server.errors import NpcServerError
from npc_server.llm.embed import HashedWordsEmbedder
from npc_server.llm.no_model import NoModelEngine
from npc_server.memory import database, memories, meta
from npc_server.session.host import Host
from tests.memory.test_migrations import from_sql
from tests.session.conftest import personas, settings, town

__all__ = ["settings"]

ENVIRONMENT = {"NPC_SERVER_ENGINE__EMBEDDING_MODEL": "none"}


def host_of(every: Any) -> Host:
    return Host(every, NoModelEngine("No model in this test."), HashedWordsEmbedder())


@pytest.fixture
async def save(settings: Any) -> Path:
    host = host_of(settings)
    await host.create_save("one", town(), personas(), 7, 0, game="harbor-tale")
    session = await host.open_save("one")
    await session.say("mara_voss", "Sam", "My dog is called Bello.", lambda text: None)
    await session.close(save=True)
    await host.close()
    return host.settings.save.folder / "one.npcsave"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The game's files: Mara is older, the rest is as it was."""
    (tmp_path / "personas").mkdir()
    for document in [town(), *personas()]:
        (tmp_path / document.name).write_text(document.text.replace("age: 34", "age: 61"), encoding="utf-8")
    return tmp_path


def run(*arguments: object, said: str = "") -> tuple[int, str]:
    done = CliRunner().invoke(app, ["save", *map(str, arguments)], input=said, env=ENVIRONMENT)
    if isinstance(done.exception, NpcServerError):
        return 1, str(done.exception)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output


def held(save: Path) -> tuple[str, list[str]]:
    """Mara's file in the save, and what she remembers."""
    with database.reading(save) as db:
        return meta.documents(db, "persona")[0].text, [memory.text for memory in memories.load(db, "mara_voss")]


def test_edited_files_are_taken_over_into_the_save_itself_and_memories_stay(save: Path, folder: Path) -> None:
    _, lived = held(save)
    assert any("Bello" in text for text in lived)
    code, said = run("refresh", save, "--town", folder / "town.yaml", "--personas", folder / "personas", "--yes")
    assert (code, said) == (0, "personas/mara_voss.yaml: age changed.\nUpdated 'one' with 1 file.\n")
    text, after = held(save)
    assert "age: 61" in text
    assert after == lived
    assert [path.name for path in save.parent.iterdir() if not path.name.endswith(".lock")] == ["one.npcsave"]
    assert run("refresh", save, "--personas", folder / "personas", "--yes") == (0, "The save 'one' holds these files already.\n")


def test_a_slot_is_named_in_the_folder_of_saves_and_somebody_may_say_no(save: Path, folder: Path) -> None:
    before = save.read_bytes()
    asked = ("refresh", "one", "--save-folder", save.parent, "--personas", folder / "personas")
    code, said = run(*asked, said="n\n")
    assert code == 0
    assert "personas/mara_voss.yaml: age changed." in said
    assert said.endswith("Nothing was changed.\n")
    assert run(*asked, "--dry-run")[1] == "personas/mara_voss.yaml: age changed.\nNothing was changed.\n"
    assert save.read_bytes() == before
    assert run(*asked, said="y\n")[1].endswith("Updated 'one' with 1 file.\n")
    assert "age: 61" in held(save)[0]


def test_a_mod_with_a_mistake_is_told_once_and_keeps_no_other_from_being_applied(save: Path, folder: Path) -> None:
    mods = folder / "mods/rain/personas"
    mods.mkdir(parents=True)
    (mods / "tobin_hale.yaml").write_text("adds: {traits: [brave]}\n", encoding="utf-8")
    mara = folder / "personas/mara_voss.yaml"
    mara.write_text(mara.read_text(encoding="utf-8").replace("age: 61", "age: 34"), encoding="utf-8")
    asked = ("refresh", save, "--personas", folder / "personas", "--mods", folder / "mods", "--yes")
    warning = "warning: mods/rain/personas/tobin_hale.yaml:1: Key 'adds' is not known. Did you mean 'add'?"
    code, said = run(*asked)
    assert (code, said.count("adds"), said.splitlines()[-1]) == (0, 1, "The save 'one' holds these files already.")
    assert said.startswith(warning)
    (mods / "mara_voss.yaml").write_text("age: 61\n", encoding="utf-8")
    code, said = run(*asked)
    assert (code, said.count("adds"), said.splitlines()[-1]) == (0, 1, "Updated 'one' with 1 file.")
    assert "age: 61" in held(save)[0]


def test_mistakes_are_told_with_their_lines_and_leave_the_save_as_it_was(save: Path, folder: Path) -> None:
    before = save.read_bytes()
    mara = folder / "personas/mara_voss.yaml"
    mara.write_text(mara.read_text(encoding="utf-8").replace("age: 61", "age: old"), encoding="utf-8")
    code, said = run("refresh", save, "--personas", folder / "personas", "--yes")
    assert code == 1
    assert "personas/mara_voss.yaml:9: " in said
    assert save.read_bytes() == before


async def test_a_save_that_is_played_and_one_that_a_crash_left_are_refused(save: Path, folder: Path, settings: Any) -> None:
    before = save.read_bytes()
    host = host_of(settings)
    session = await host.open_save("one")
    asked = ("refresh", save, "--personas", folder / "personas", "--yes")
    code, said = await asyncio.to_thread(run, *asked)
    assert (code, "being played" in said) == (1, True)
    await session.suspend()
    code, said = await asyncio.to_thread(run, *asked)
    assert (code, "A crash left unsaved play of 'one'." in said) == (1, True)
    assert (await host.open_save("one")).recovered
    await host.close()
    assert save.read_bytes() == before


def test_what_cannot_be_is_said_with_its_fix(save: Path, folder: Path, tmp_path: Path) -> None:
    assert "Name the town file" in run("refresh", save)[1]
    assert "no persona file" in run("refresh", save, "--personas", save.parent)[1]
    assert "Leave one out" in run("refresh", save, "--yes", "--dry-run")[1]
    assert "There is no save 'two'" in run("refresh", "two", "--save-folder", save.parent, "--town", folder / "town.yaml")[1]
    other = folder / "other.yaml"
    other.write_text(town().text.replace("id: millbrook", "id: alderwick", 1), encoding="utf-8")
    assert "'one' holds the town 'millbrook'" in run("refresh", save, "--town", other, "--yes")[1]


def test_the_list_says_whose_saves_they_are_and_what_is_wrong(save: Path) -> None:
    from_sql("v1.sql", save.parent / "old.npcsave")
    (save.parent / "torn.npcsave").write_text("no save")
    code, said = run("list", "--save-folder", save.parent)
    rows = {row.split()[0]: row for row in said.splitlines()}
    assert code == 0
    assert rows["slot"].split() == ["slot", "game", "town", "game", "time", "saved", "people", "problem"]
    assert rows["one"].split()[1:5] == ["harbor-tale", "Millbrook", "2026-05-04", "06:00"]
    assert rows["old"].split()[1] == "Millbrook"
    assert "not a save" in rows["torn"] or "damaged" in rows["torn"]
    assert run("list", "--save-folder", save.parent / "none")[1].startswith("There are no saves in ")
