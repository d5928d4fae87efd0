"""A save belongs to a game and is of a town; another's is refused, with a sentence."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from npc_server.config import Settings
from npc_server.errors import FileProblem, SaveDamaged, SaveError, SaveInUse, SaveOfAnotherGame, SaveOfAnotherTown, SaveTooNew
from npc_server.memory import meta
from npc_server.records import Document
from npc_server.session.game_files import GameFiles
from npc_server.session.host import Host
from tests.memory.test_beside import IN_JOURNAL, killed_after
from tests.memory.test_migrations import from_sql
from tests.session.conftest import personas, town

OURS = GameFiles("harbor-tale")
THEIRS = GameFiles("wild-west")


def other_town() -> Document:
    return replace(town(), text=town().text.replace("id: millbrook", "id: alderwick", 1))


async def save_of(host: Host, game: str, slot: str = "one") -> None:
    await host.create_save(slot, town(), personas(), seed=7, start=0, game=game)


async def test_another_games_save_is_refused_by_a_sentence_that_names_both_and_the_way_out(make_host: Callable[..., Host]) -> None:
    host = make_host()
    await save_of(host, "harbor-tale")
    with pytest.raises(SaveOfAnotherGame, match=r"'one' belongs to the game 'harbor-tale', and this is 'wild-west'.*--save-folder"):
        await host.open_save("one", files=THEIRS)
    session = await host.open_save("one", files=OURS)
    assert (session.info.game, session.info.town_id) == ("harbor-tale", "millbrook")


async def test_a_refused_game_takes_nothing_from_the_one_that_left_its_play_behind(make_host: Callable[..., Host]) -> None:
    host = make_host()
    await save_of(host, "harbor-tale")
    left = await host.open_save("one", files=OURS)
    epoch = left.epoch
    with pytest.raises(SaveOfAnotherGame):
        await host.open_save("one", discard_unsaved=True, files=THEIRS)
    again = await host.open_save("one", resume_epoch=epoch, files=OURS)
    assert again.recovered
    assert again.epoch == epoch


async def test_a_save_of_no_game_takes_on_the_name_of_the_first_that_opens_it(make_host: Callable[..., Host], settings: Settings) -> None:
    host = make_host()
    await save_of(host, "")
    session = await host.open_save("one", files=OURS)
    assert session.info.game == "harbor-tale"
    await session.close(save=True)
    assert [info.game for info in await host.list_saves()] == ["harbor-tale"]
    with pytest.raises(SaveOfAnotherGame):
        await host.open_save("one", files=THEIRS)


async def test_a_save_without_a_game_says_of_none(make_host: Callable[..., Host], settings: Settings) -> None:
    host = make_host()
    settings.save.folder.mkdir(parents=True)
    from_sql("v1.sql", settings.save.folder / "old.npcsave")
    (info,) = await host.list_saves()
    assert (info.game, info.problem) == ("", "")


async def test_an_unsaved_play_that_was_taken_on_keeps_other_games_out(make_host: Callable[..., Host]) -> None:
    host = make_host()
    await save_of(host, "")
    await (await host.open_save("one", files=OURS)).suspend()
    with pytest.raises(SaveOfAnotherGame):
        await host.open_save("one", files=THEIRS)
    assert (await host.open_save("one", discard_unsaved=True, files=THEIRS)).info.game == "wild-west"


async def test_who_gives_no_game_opens_every_save(make_host: Callable[..., Host]) -> None:
    host = make_host()
    await save_of(host, "harbor-tale")
    assert (await host.open_save("one")).info.game == "harbor-tale"


async def test_a_save_of_another_town_is_refused(make_host: Callable[..., Host]) -> None:
    host = make_host()
    await save_of(host, "")
    with pytest.raises(SaveOfAnotherTown, match="'one' holds the town 'millbrook', and the town file of the game is for 'alderwick'"):
        await host.open_save("one", files=GameFiles(town=other_town()))
    await host.open_save("one", files=GameFiles(town=town()))


async def test_neither_another_games_slot_nor_another_towns_is_loaded_into_what_is_played(make_host: Callable[..., Host]) -> None:
    host = make_host()
    await save_of(host, "harbor-tale")
    await save_of(host, "wild-west", "theirs")
    people = [replace(it, text=it.text.replace("millbrook:", "alderwick:")) for it in personas()]
    await host.create_save("elsewhere", other_town(), people, seed=7, start=0, game="harbor-tale")
    session = await host.open_save("one", files=OURS)
    for slot, error in (("theirs", SaveOfAnotherGame), ("elsewhere", SaveOfAnotherTown)):
        with pytest.raises(error):
            await session.load_game(slot)
        assert session.npc_ids == ["mara_voss", "tobin_hale", "ines_calder"]
    epoch = session.epoch
    await session.load_game("one")
    assert session.epoch == epoch + 1


async def test_a_loaded_slot_of_no_game_takes_on_the_name_of_the_one_that_plays(make_host: Callable[..., Host]) -> None:
    host = make_host()
    await save_of(host, "harbor-tale")
    await save_of(host, "", "old")
    session = await host.open_save("one", files=OURS)
    await session.load_game("old")
    assert session.info.game == "harbor-tale"
    assert (await session._store.do(meta.read)).game == "harbor-tale"


async def test_a_slot_of_another_game_is_not_saved_over(make_host: Callable[..., Host]) -> None:
    host = make_host()
    await save_of(host, "harbor-tale")
    await save_of(host, "wild-west", "theirs")
    session = await host.open_save("one", files=OURS)
    with pytest.raises(SaveOfAnotherGame):
        await session.save_game("theirs")
    assert [info.game for info in await host.list_saves() if info.slot == "theirs"] == ["wild-west"]


async def test_a_new_game_in_a_slot_takes_the_place_of_the_old_one_and_of_what_was_left_unsaved(make_host: Callable[..., Host]) -> None:
    host = make_host()
    await save_of(host, "harbor-tale")
    left = await host.open_save("one", files=OURS)
    await left.suspend()
    await host.create_save("one", other_town(), personas(), seed=7, start=0, game="harbor-tale", in_place=True)
    session = await host.open_save("one", resume_epoch=left.epoch, files=OURS)
    assert (session.info.town_id, session.recovered) == ("alderwick", False)
    assert session.epoch > left.epoch, "thoughts of the old game could come back into the new one"


async def test_a_new_game_that_cannot_be_made_leaves_the_old_one_as_it_was(make_host: Callable[..., Host]) -> None:
    host = make_host()
    await save_of(host, "harbor-tale")
    broken = Document("personas/mara.yaml", "id: mara_voss\nage: very old\n")
    with pytest.raises(FileProblem):
        await host.create_save("one", town(), [broken], seed=7, start=0, game="harbor-tale", in_place=True)
    with pytest.raises(SaveOfAnotherGame):
        await host.create_save("one", town(), personas(), seed=7, start=0, game="wild-west", in_place=True)
    session = await host.open_save("one", files=OURS)
    with pytest.raises(SaveInUse):
        await host.create_save("one", town(), personas(), seed=7, start=0, game="harbor-tale", in_place=True)
    assert session.npc_ids == ["mara_voss", "tobin_hale", "ines_calder"]


def edited_by_half(path: Path) -> None:
    killed_after(path, IN_JOURNAL)


def edited(sql: str) -> Callable[[Path], None]:
    def edit(path: Path) -> None:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute(sql)

    return edit


UNREADABLE = [
    (edited_by_half, SaveOfAnotherGame),
    (edited("PRAGMA user_version = 999"), SaveTooNew),
    (edited("CREATE TRIGGER t AFTER INSERT ON meta BEGIN SELECT 1; END"), SaveDamaged),
    (lambda path: path.write_bytes(path.read_bytes()[:5000]), SaveDamaged),
]


@pytest.mark.parametrize(("spoil", "error"), UNREADABLE)
async def test_what_cannot_be_read_belongs_to_somebody_and_is_refused(
    make_host: Callable[..., Host], settings: Settings, spoil: Callable[[Path], None], error: type[SaveError]
) -> None:
    host = make_host()
    await save_of(host, "harbor-tale")
    await save_of(host, "wild-west", "theirs")
    path = settings.save.folder / "theirs.npcsave"
    spoil(path)
    before = path.read_bytes()
    session = await host.open_save("one", files=OURS)
    for call in (
        host.create_save("theirs", town(), personas(), seed=7, start=0, game="harbor-tale", in_place=True),
        session.save_game("theirs"),
        session.load_game("theirs"),
        host.open_save("theirs", files=OURS),
        host.open_save("theirs", files=OURS, discard_unsaved=True),
    ):
        with pytest.raises(error):
            await call
    assert path.read_bytes() == before
    assert session.npc_ids, "play goes on"


async def test_unsaved_play_of_another_game_is_not_saved_over_where_its_save_is_gone(
    make_host: Callable[..., Host], settings: Settings
) -> None:
    host = make_host()
    await save_of(host, "harbor-tale")
    await save_of(host, "wild-west", "theirs")
    await (await host.open_save("theirs", files=THEIRS)).suspend()
    (settings.save.folder / "theirs.npcsave").unlink()
    session = await host.open_save("one", files=OURS)
    with pytest.raises(SaveOfAnotherGame):
        await session.save_game("theirs")
    assert (settings.save.folder / "theirs.play.sqlite").is_file()


async def test_a_damaged_save_says_how_its_name_becomes_free(make_host: Callable[..., Host], settings: Settings) -> None:
    host = make_host()
    await save_of(host, "harbor-tale")
    (settings.save.folder / "one.npcsave").write_bytes(b"x" * 4096)
    with pytest.raises(SaveDamaged, match="delete this save first"):
        await host.create_save("one", town(), personas(), seed=7, start=0, game="harbor-tale", in_place=True)
    await host.delete_save("one")
    await save_of(host, "harbor-tale")
