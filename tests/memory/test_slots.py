from __future__ import annotations

import asyncio
import errno
import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from npc_server.errors import BadInput, SaveDamaged, SaveError, SaveExists, SaveInUse, SaveNotFound, SaveTooNew
from npc_server.memory import inbox, memories, meta
from npc_server.memory.listing import read_info
from npc_server.memory.slots import Slots
from npc_server.memory.store import Store
from tests.memory.copies import loaded, opened
from tests.memory.playing import SEEN, fill, names, played, remember, save, slots

__all__ = ["slots"]


def test_an_empty_folder_lists_nothing(slots: Slots) -> None:
    assert slots.saves() == []


def test_a_new_slot_is_listed_with_its_town_and_people(slots: Slots) -> None:
    info = slots.create("first", fill)
    assert slots.saves() == [info]
    assert (info.town, info.now, info.people, info.problem, info.recoverable) == ("Millbrook", 1000, ("Ada Moss", "Ben Hale"), "", False)
    assert names(slots) == {"first.npcsave"}


@pytest.mark.parametrize("taken", ["first", "First"])
def test_a_name_that_is_taken_whatever_the_case_is_refused(slots: Slots, taken: str) -> None:
    slots.create("first", fill)
    with pytest.raises(SaveExists, match="already"):
        slots.create(taken, fill)


@pytest.mark.parametrize(
    "name", ["", " a", "a ", "../a", "a/b", "a\\b", "a.b", "a:b", "con", "LPT1", "nul", "x" * 65, "a\n", "a\0b", "é", "*", ".hidden"]
)
def test_a_name_that_cannot_be_a_file_everywhere_is_refused(slots: Slots, name: str) -> None:
    for act in (
        lambda: slots.create(name, fill),
        lambda: slots.open_working_copy(name),
        lambda: slots.delete(name),
        lambda: slots.info(name),
    ):
        with pytest.raises(BadInput, match="cannot be the name"):
            act()


@pytest.mark.parametrize("name", ["a", "Slot 1", "my-save_2", "x" * 64, "console"])
def test_plain_names_are_taken(slots: Slots, name: str) -> None:
    assert slots.create(name, fill).slot == name


def test_a_slot_that_fails_while_it_is_made_is_not_there(slots: Slots) -> None:
    def fail(db: object) -> None:
        fill(db)
        raise ValueError("no town")

    with pytest.raises(ValueError, match="no town"):
        slots.create("first", fail)
    assert names(slots) == set()


def test_play_does_not_touch_the_slot_until_it_is_saved(slots: Slots) -> None:
    slots.create("first", fill)
    before = slots.path("first").read_bytes()
    copy = opened(slots, "first")
    played(copy.path, remember(1))
    assert slots.path("first").read_bytes() == before
    slots.close("first")
    assert slots.info("first").memories == 0
    assert names(slots) == {"first.npcsave"}


def test_a_saved_game_is_there_again(slots: Slots) -> None:
    slots.create("first", fill)
    copy = opened(slots, "first")
    played(copy.path, remember(1))
    played(copy.path, save(slots, "first", "first"))
    played(copy.path, remember(2))
    slots.close("first")
    info = slots.info("first")
    assert (info.memories, info.saved_at) == (1, 1234)


def test_saving_to_another_slot_leaves_the_own_one_alone(slots: Slots) -> None:
    slots.create("first", fill)
    copy = opened(slots, "first")
    played(copy.path, remember(1))
    played(copy.path, save(slots, "first", "second"))
    slots.close("first")
    assert [(info.slot, info.memories) for info in slots.saves()] == [("first", 0), ("second", 1)]


def test_what_a_crash_left_is_continued(slots: Slots) -> None:
    slots.create("first", fill)
    copy = opened(slots, "first")
    assert not copy.recovered
    played(copy.path, remember(1))
    slots.close("first", keep_unsaved=True)
    assert slots.saves()[0].recoverable
    again = opened(slots, "first")
    assert again.recovered
    assert again.epoch > copy.epoch
    found: list[int] = []
    played(again.path, lambda store: store.do(lambda db: found.append(len(memories.load(db, "ada")))))
    assert found == [1]


def test_what_a_crash_left_can_be_thrown_away(slots: Slots) -> None:
    slots.create("first", fill)
    copy = opened(slots, "first")
    played(copy.path, remember(1))
    slots.close("first", keep_unsaved=True)
    again = opened(slots, "first", discard_unsaved=True)
    assert not again.recovered
    assert again.epoch > copy.epoch
    found: list[int] = []
    played(again.path, lambda store: store.do(lambda db: found.append(len(memories.load(db, "ada")))))
    assert found == [0]


def test_a_game_that_lost_the_server_goes_on_counting(slots: Slots) -> None:
    slots.create("first", fill)
    copy = opened(slots, "first")
    played(copy.path, lambda store: store.do(lambda db: inbox.take(db, copy.epoch, [(1, SEEN), (2, SEEN)])))
    slots.close("first", keep_unsaved=True)
    again = opened(slots, "first", resume_epoch=copy.epoch)
    assert (again.recovered, again.epoch) == (True, copy.epoch)
    last: list[int] = []
    played(again.path, lambda store: store.do(lambda db: last.append(meta.read(db).last_seq)))
    assert last == [2]


def test_an_epoch_is_never_given_twice(slots: Slots) -> None:
    slots.create("first", fill)
    given = []
    for _ in range(3):
        given.append(opened(slots, "first").epoch)
        slots.close("first")
    given.append(opened(slots, "first").epoch)
    given.append(loaded(slots, "first", "first").epoch)
    assert given == sorted(set(given))


def test_loading_replaces_the_working_copy(slots: Slots) -> None:
    slots.create("first", fill)
    slots.create("second", lambda db: meta.write(db, town="Elsewhere"))
    copy = opened(slots, "first")
    played(copy.path, remember(1))
    new = loaded(slots, "first", "second")
    assert new.path == copy.path
    found: list[meta.SaveMeta] = []
    played(new.path, lambda store: store.do(lambda db: found.append(meta.read(db))))
    assert (found[0].town, found[0].epoch, found[0].last_seq) == ("Elsewhere", new.epoch, 0)


def test_loading_what_is_not_there_leaves_the_working_copy(slots: Slots) -> None:
    slots.create("first", fill)
    copy = opened(slots, "first")
    played(copy.path, remember(1))
    before = copy.path.read_bytes()
    with pytest.raises(SaveNotFound, match="second"):
        loaded(slots, "first", "second")
    assert copy.path.read_bytes() == before


def test_a_slot_that_is_played_cannot_be_opened_deleted_or_overwritten(slots: Slots) -> None:
    slots.create("first", fill)
    slots.create("second", fill)
    opened(slots, "first")
    other = Slots(slots.folder)
    copy = opened(other, "second")
    for user in (slots, other):
        with pytest.raises(SaveInUse):
            opened(user, "first")
        with pytest.raises(SaveInUse):
            user.delete("first")
    with pytest.raises(SaveInUse):
        played(copy.path, save(other, "second", "first"))
    listed = other.saves()[0]
    assert "being played" in listed.problem
    assert listed.town == "Millbrook"


def test_another_process_that_plays_a_slot_keeps_it_until_it_dies(slots: Slots) -> None:
    slots.create("first", fill)
    program = (
        "import sys; from pathlib import Path; from npc_server.memory.slots import Slots; from tests.memory.copies import opened\n"
        f"opened(Slots(Path({str(slots.folder)!r})), 'first'); print('open', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "open\n"
        with pytest.raises(SaveInUse, match="being played"):
            opened(slots, "first")
        child.kill()
        child.wait()
    assert opened(slots, "first").recovered


def test_a_deleted_slot_is_gone_with_what_a_crash_left(slots: Slots) -> None:
    slots.create("first", fill)
    opened(slots, "first")
    slots.close("first", keep_unsaved=True)
    slots.delete("first")
    assert slots.saves() == []
    assert names(slots) == set()
    with pytest.raises(SaveNotFound):
        slots.delete("first")


def test_half_written_files_are_cleaned_away(slots: Slots) -> None:
    slots.create("first", fill)
    (slots.folder / ".first.npcsave.tmp-0123456789ab").write_bytes(b"half")
    (slots.folder / ".first.play.sqlite.tmp-0123456789ab-wal").write_bytes(b"half")
    slots.saves()
    assert names(slots) == {"first.npcsave"}


def test_a_file_that_another_writes_is_not_cleaned_away(slots: Slots) -> None:
    slots.create("first", fill)
    opened(slots, "first")
    (slots.folder / ".first.npcsave.tmp-0123456789ab").write_bytes(b"half")
    Slots(slots.folder).saves()
    assert ".first.npcsave.tmp-0123456789ab" in names(slots)


def test_a_damaged_working_copy_says_how_to_start_from_the_save(slots: Slots) -> None:
    slots.create("first", fill)
    copy = opened(slots, "first")
    slots.close("first", keep_unsaved=True)
    copy.path.write_bytes(b"x" * 4096)
    with pytest.raises(SaveDamaged, match="discard_unsaved"):
        opened(slots, "first")
    assert copy.path.read_bytes() == b"x" * 4096
    assert not opened(slots, "first", discard_unsaved=True).recovered


def test_saving_over_a_slot_forgets_what_a_crash_left_of_it(slots: Slots) -> None:
    for name in ("first", "second"):
        slots.create(name, fill)
        opened(slots, name)
    slots.close("second", keep_unsaved=True)
    played(slots.folder / "first.play.sqlite", save(slots, "first", "second"))
    assert not slots.saves()[1].recoverable


def test_a_slot_that_is_not_open_cannot_be_saved(slots: Slots) -> None:
    slots.create("first", fill)
    with pytest.raises(SaveError, match="not open"):
        slots.close("first")


def test_files_that_are_no_saves_are_listed_with_the_problem(slots: Slots) -> None:
    slots.create("good", fill)
    (slots.folder / "empty.npcsave").write_bytes(b"")
    (slots.folder / "text.npcsave").write_text("not a save")
    (slots.folder / "wrong.name.npcsave").write_text("x")
    (slots.folder / "folder.npcsave").mkdir()
    listed = {info.slot: info.problem for info in slots.saves()}
    assert listed["good"] == ""
    assert "not a save" in listed["empty"]
    assert "damaged" in listed["text"]
    assert "cannot be the name" in listed["wrong.name"]
    assert listed["folder"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_only_this_user_may_read_saves_and_what_is_played(slots: Slots) -> None:
    before = os.umask(0o022)
    try:
        slots.create("first", fill)
        copy = opened(slots, "first")
        modes: dict[str, int] = {}

        async def look(store: Store) -> None:
            await store.do(lambda db: meta.write(db, now=2000))
            modes.update({path.name: path.stat().st_mode & 0o777 for path in slots.folder.iterdir()})
            await asyncio.to_thread(slots.save, store.copy, "first", "second", 1234)

        played(copy.path, look)
    finally:
        os.umask(before)
    assert modes.keys() >= {"first.npcsave", "first.play.sqlite", "first.play.sqlite-wal"}
    assert set(modes.values()) == {0o600}
    assert {path.stat().st_mode & 0o777 for path in slots.folder.iterdir()} == {0o600}
    assert slots.folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("broken", ["unlink", "replace", "fsync", "open", "iterdir"])
def test_a_disk_that_fails_for_good_is_told_with_advice_by_every_call(slots: Slots, monkeypatch: pytest.MonkeyPatch, broken: str) -> None:
    """Also when the unfinished file cannot be removed."""
    for name in ("first", "second"):
        slots.create(name, fill)
    copy = opened(slots, "first")

    def fails(*given: object, **named: object) -> object:
        raise OSError(errno.EIO, "Input/output error")

    async def save(store: Store) -> None:
        with monkeypatch.context() as disk:
            for name in {broken, "unlink"}:
                disk.setattr(os if name in ("fsync", "open") else Path, name, fails)
            for slot in ("first", "second"):
                await told(lambda slot=slot: slots.save(store.copy, "first", slot, 1234))  # type: ignore[misc]
            for call in (
                lambda: slots.load("first", "second"),
                lambda: slots.create("second", fill, in_place=True),
                lambda: slots.delete("second"),
            ):
                await told(call)

    async def told(call: Callable[[], object]) -> None:
        try:
            await asyncio.to_thread(call)
        except SaveError as error:
            assert error.fix

    played(copy.path, save)
    played(copy.path, remember(1))


def test_half_written_files_of_another_slot_are_cleaned_away_when_a_slot_is_opened(slots: Slots) -> None:
    for name in ("first", "second"):
        slots.create(name, fill)
    (slots.folder / ".second.npcsave.tmp-0123456789ab").write_bytes(b"half")
    opened(slots, "first")
    assert ".second.npcsave.tmp-0123456789ab" not in names(slots)


def test_half_written_files_of_a_slot_are_cleaned_away_when_it_is_saved_over(slots: Slots) -> None:
    slots.create("first", fill)
    copy = opened(slots, "first")
    (slots.folder / ".second.npcsave.tmp-0123456789ab").write_bytes(b"half")
    played(copy.path, save(slots, "first", "second"))
    assert ".second.npcsave.tmp-0123456789ab" not in names(slots)


def made_by_a_newer_version(path: Path) -> bytes:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 999")
    return path.read_bytes()


def test_an_older_version_does_not_save_over_a_newer_save_not_even_its_own(slots: Slots) -> None:
    slots.create("first", fill)
    copy = opened(slots, "first")
    newer = made_by_a_newer_version(slots.path("first"))
    with pytest.raises(SaveTooNew):
        played(copy.path, save(slots, "first", "first"))
    played(copy.path, save(slots, "first", "second"))
    assert slots.info("second").town == "Millbrook"
    slots.close("first")
    with pytest.raises(SaveTooNew):
        slots.owners("first")
    assert slots.path("first").read_bytes() == newer


def test_what_an_older_version_played_does_not_hide_a_newer_save(slots: Slots) -> None:
    slots.create("first", fill)
    opened(slots, "first")
    slots.close("first", keep_unsaved=True)
    made_by_a_newer_version(slots.path("first"))
    with pytest.raises(SaveTooNew):
        opened(slots, "first")
    assert "newer" in slots.saves()[0].problem


def test_unsaved_play_whose_save_is_damaged_is_continued(slots: Slots) -> None:
    slots.create("first", fill)
    played(opened(slots, "first").path, remember(1))
    slots.close("first", keep_unsaved=True)
    slots.path("first").write_bytes(b"x" * 4096)
    copy = opened(slots, "first")
    assert (copy.recovered, read_info("first", copy.path).memories) == (True, 1)
    assert slots.path("first").read_bytes() == b"x" * 4096


def test_a_slot_whose_session_is_just_ending_is_waited_for(slots: Slots) -> None:
    slots.create("first", fill)
    opened(slots, "first")
    elsewhere = Slots(slots.folder)
    ending = threading.Timer(0.02, slots.close, ("first", True))
    ending.start()
    try:
        assert elsewhere.owner("first") == ("", "")
        assert opened(elsewhere, "first").recovered
    finally:
        ending.join()
