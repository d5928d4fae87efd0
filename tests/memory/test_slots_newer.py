"""Which of two files is newer: a slot, or what was played of it."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from npc_server.errors import SaveError, SaveInUse
from npc_server.memory import files
from npc_server.memory.listing import read_info
from npc_server.memory.slots import Slots
from npc_server.memory.working_copy import WorkingCopy
from tests.memory.copies import loaded, opened
from tests.memory.playing import fill, played, remember, save, slots

__all__ = ["slots"]


def play_on(slots: Slots, slot: str, number: int) -> WorkingCopy:
    copy = opened(slots, slot)
    played(copy.path, remember(number))
    return copy


def memories_of(path: Path) -> int:
    return read_info("x", path).memories


@pytest.mark.parametrize("saves", [0, 1, 2])
def test_what_was_played_after_saving_is_continued(slots: Slots, saves: int) -> None:
    slots.create("first", fill)
    copy = play_on(slots, "first", 1)
    for _ in range(saves):
        played(copy.path, save(slots, "first", "first"))
    played(copy.path, remember(2))
    slots.close("first", keep_unsaved=True)
    assert slots.saves()[0].recoverable
    assert memories_of(opened(slots, "first").path) == 2


def test_what_was_loaded_from_another_slot_is_continued(slots: Slots) -> None:
    for name in ("first", "second"):
        slots.create(name, fill)
    play_on(slots, "first", 1)
    copy = loaded(slots, "first", "second")
    played(copy.path, remember(2))
    slots.close("first", keep_unsaved=True)
    again = opened(slots, "first")
    assert (again.recovered, memories_of(again.path)) == (True, 1)


def test_a_save_that_another_play_wrote_since_is_not_hidden_by_older_play(slots: Slots) -> None:
    for name in ("first", "second"):
        slots.create(name, fill)
    older = play_on(slots, "second", 1)
    slots.close("second", keep_unsaved=True)
    kept = older.path.read_bytes()
    copy = play_on(slots, "first", 1)
    played(copy.path, remember(2))
    for _ in range(2):  # the second time, the older play began at a save of this same play
        played(copy.path, save(slots, "first", "second"))
        assert not older.path.exists()
        older.path.write_bytes(kept)  # killed before it could be removed
        assert not slots.saves()[1].recoverable
        again = opened(slots, "second")
        assert (again.recovered, memories_of(again.path)) == (False, 2)
        kept = again.path.read_bytes()
        slots.close("second", keep_unsaved=True)


def test_what_was_played_does_not_hide_a_save_that_was_brought_back_from_a_copy(slots: Slots) -> None:
    slots.create("first", fill)
    backup = slots.path("first").read_bytes()
    copy = play_on(slots, "first", 1)
    played(copy.path, save(slots, "first", "first"))
    slots.close("first")
    play_on(slots, "first", 2)
    slots.close("first", keep_unsaved=True)
    slots.path("first").write_bytes(backup)
    again = opened(slots, "first")
    assert (again.recovered, memories_of(again.path)) == (False, 0)


def test_what_an_older_version_left_is_continued(slots: Slots) -> None:
    slots.create("first", fill)
    copy = play_on(slots, "first", 1)
    slots.close("first", keep_unsaved=True)
    for path in (copy.path, slots.path("first")):
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("DELETE FROM meta WHERE key IN ('save_id', 'base_id', 'play_id')")
    assert opened(slots, "first").recovered


def test_a_new_working_copy_lies_beside_the_old_one_until_it_is_moved_to_its_place(slots: Slots) -> None:
    slots.create("first", fill)
    slots.create("second", fill)
    copy = play_on(slots, "first", 1)
    before = copy.path.read_bytes()
    fresh = slots.load("first", "second")
    assert (fresh.place, copy.path.read_bytes()) == (copy.path, before)
    assert ".tmp-" in fresh.path.name
    slots.drop(fresh)
    assert not fresh.path.exists()


def test_throwing_what_was_played_away_keeps_it_until_the_new_one_is_in_its_place(slots: Slots) -> None:
    slots.create("first", fill)
    copy = play_on(slots, "first", 1)
    slots.close("first", keep_unsaved=True)
    slots.drop(slots.open_working_copy("first", discard_unsaved=True))
    slots.close("first", keep_unsaved=True)
    assert memories_of(copy.path) == 1


def test_a_working_copy_that_cannot_be_removed_keeps_its_slot(slots: Slots, monkeypatch: pytest.MonkeyPatch) -> None:
    slots.create("first", fill)
    opened(slots, "first")

    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(files, "remove", refuse)
        with pytest.raises(SaveError, match="cannot be read or written"):
            slots.close("first")
    with pytest.raises(SaveInUse):
        slots.open_working_copy("first")
    slots.close("first")
    assert not opened(slots, "first").recovered


def test_an_epoch_is_kept_through_a_power_cut(slots: Slots, monkeypatch: pytest.MonkeyPatch) -> None:
    slots.create("first", fill)
    synced: list[str] = []
    fsync = os.fsync

    def note(handle: int) -> None:
        synced.append(os.pread(handle, 20, 0).decode("ascii", "replace").strip())
        fsync(handle)

    monkeypatch.setattr(os, "fsync", note)
    copy = slots.open_working_copy("first")
    assert f"{copy.epoch:019}" in synced
