"""The list of saves, whatever lies in the folder."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from sqlite_utils import Database

from npc_server.errors import SaveDamaged
from npc_server.memory import database, meta, people
from npc_server.memory.listing import MOST_NAME, shown
from npc_server.memory.slots import Slots
from npc_server.records import SaveInfo
from npc_server.wire import convert
from tests.wire.other_way import save_from_wire

PUT = "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)"


def fill(db: Database) -> None:
    meta.write(db, town="Millbrook")
    people.insert(db, [people.Person("ada", "Ada Moss")])


@pytest.fixture
def slots(tmp_path: Path) -> Slots:
    made = Slots(tmp_path / "saves")
    for name in ("good", "odd"):
        made.create(name, fill)
    return made


def change(slots: Slots, sql: str, *values: object) -> None:
    with closing(sqlite3.connect(slots.path("odd"), isolation_level=None)) as connection:
        connection.execute(sql, values)


def listed(slots: Slots) -> dict[str, SaveInfo]:
    """As a game gets it: what the wire cannot carry fails here."""
    sent = [convert.save_to_wire(info) for info in slots.saves()]
    assert sum(len(save.SerializeToString()) for save in sent) < 10_000 * len(sent)
    return {save.slot: save_from_wire(save) for save in sent}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("town", '"\\ud800"'),
        ("town", "[" * 100_000),
        ("town", "7"),
        ("now", "1" + "0" * 30),
        ("now", "later"),
        ("now", "9" * 5_000),
        ("epoch", str(2**63 - 1)),
        ("epoch", "-5"),
        ("saved_at", str(-(2**70))),
        ("saved_at", str(2**62)),
        ("last_seq", "1e99"),
        ("seed", str(2**64)),
    ],
)
def test_a_save_with_a_fact_that_cannot_be_is_listed_with_the_problem_and_not_opened(slots: Slots, key: str, value: str) -> None:
    change(slots, PUT, key, value)
    found = listed(slots)
    assert found["good"].problem == ""
    assert found["odd"].problem
    with pytest.raises(SaveDamaged):
        slots.open_working_copy("odd")


def test_a_town_of_megabytes_is_cut(slots: Slots) -> None:
    change(slots, PUT, "town", '"' + "x" * 6_000_000 + '"')
    assert listed(slots)["odd"].town == "x" * (MOST_NAME - 1) + "…"


def test_people_of_megabytes_are_cut_and_those_beyond_the_most_left_out(slots: Slots) -> None:
    change(slots, "UPDATE people SET name = hex(zeroblob(3000000))")
    change(slots, "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) INSERT INTO people SELECT i, 'x', 0, '' FROM n")
    found = listed(slots)["odd"].people
    assert (len(found), len(found[0])) == (200, MOST_NAME)


@pytest.mark.parametrize("name", ["CAST(x'ff' AS TEXT)", "x'41'"])
def test_a_name_that_is_no_text_is_a_problem_of_its_own_save_alone(slots: Slots, name: str) -> None:
    change(slots, f"UPDATE people SET name = {name}")
    found = listed(slots)
    assert (found["good"].problem, bool(found["odd"].problem)) == ("", True)


def test_names_are_shown_without_what_steers_a_terminal_or_turns_the_line() -> None:
    assert shown("a\x1b[31m\nb\u202ec\ud800d\x9b") == "a\ufffd[31m b\ufffdc\ufffdd\ufffd"
    assert shown("Zoë 山田 👩‍🌾") == "Zoë 山田 👩‍🌾"


@pytest.mark.parametrize("name", [b"\xff", b"\x1b[31m", b"a\nb", "\u202eevas".encode(), b"x" * 200])
def test_a_file_that_no_slot_can_be_named_as_is_listed_with_a_name_that_can_be_shown(slots: Slots, name: bytes) -> None:
    (slots.folder / os.fsdecode(name + b".npcsave")).write_bytes(b"")
    found = listed(slots)
    assert len(found) == 3
    (odd,) = found.keys() - {"good", "odd"}
    assert odd.isprintable()
    assert "cannot be the name of a save" in found[odd].problem


@pytest.mark.parametrize(
    "make",
    [
        Path.mkdir,
        os.mkfifo,
        lambda path: path.symlink_to(path.name),
        lambda path: path.symlink_to("/dev/zero"),
        lambda path: path.write_bytes(os.urandom(9000)),
    ],
    ids=["folder", "pipe", "loop", "device", "noise"],
)
@pytest.mark.parametrize("ending", [".npcsave", ".play.sqlite"])
def test_what_is_no_file_of_a_save_is_listed_with_the_problem(slots: Slots, make: Callable[[Path], None], ending: str) -> None:
    make(slots.folder / f"thing{ending}")
    found = listed(slots)
    assert found["good"].problem == ""
    assert found["thing"].problem


def test_a_lock_that_cannot_be_taken_is_a_problem_of_its_own_save_alone(slots: Slots) -> None:
    (slots.folder / ".odd.lock").unlink()
    (slots.folder / ".odd.lock").mkdir()
    found = listed(slots)
    assert (found["good"].problem, bool(found["odd"].problem)) == ("", True)


def test_the_newest_save_comes_first_and_equal_ones_by_name(slots: Slots) -> None:
    for name, saved_at in (("b", 20), ("a", 20), ("c", 30), ("good", 10), ("odd", 5)):
        if name not in ("good", "odd"):
            slots.create(name, lambda db: None)
        with closing(sqlite3.connect(slots.path(name), isolation_level=None)) as connection:
            connection.execute(PUT, ("saved_at", str(saved_at)))
    assert [info.slot for info in slots.saves()] == ["c", "a", "b", "good", "odd"]


def test_a_save_that_does_not_say_when_stands_where_its_file_does(slots: Slots) -> None:
    change(slots, PUT, "saved_at", "2000")
    os.utime(slots.path("good"), (1000, 1000))
    (slots.folder / "noise.npcsave").write_bytes(b"x")
    os.utime(slots.folder / "noise.npcsave", (3000, 3000))
    assert [info.slot for info in slots.saves()] == ["noise", "odd", "good"]


def test_a_file_is_read_through_once_until_it_changes(slots: Slots, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    check = database.check_sound

    def counted(db: Database, path: Path) -> None:
        read.append(path.name)
        check(db, path)

    monkeypatch.setattr(database, "check_sound", counted)
    first = slots.saves()
    assert slots.saves() == first
    assert sorted(read) == ["good.npcsave", "odd.npcsave"]
    change(slots, PUT, "town", '"Elsewhere"')
    assert {info.slot: info.town for info in slots.saves()} == {"good": "Millbrook", "odd": "Elsewhere"}
    assert sorted(read) == ["good.npcsave", "odd.npcsave", "odd.npcsave"]


def test_a_listed_file_is_checked_again_by_opening_it_only_if_it_changed(slots: Slots, monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[str] = []
    check = database.check_sound

    def count(db: Database, path: Path, just_written: bool = False) -> None:
        checked.append(path.name)
        check(db, path, just_written)

    slots.saves()
    monkeypatch.setattr(database, "check_sound", count)
    slots.drop(slots.open_working_copy("good"))
    assert checked == []
    change(slots, PUT, "town", '"Elsewhere"')
    slots.drop(slots.open_working_copy("odd"))
    assert checked == ["odd.npcsave"]


def test_a_file_that_was_listed_as_damaged_stays_so(slots: Slots) -> None:
    change(slots, "INSERT INTO vectors VALUES ('ada', 999, x'00')")
    slots.saves()
    with pytest.raises(SaveDamaged, match="belongs to nothing"):
        slots.open_working_copy("odd")


def test_a_save_can_be_opened_while_it_is_listed(slots: Slots, monkeypatch: pytest.MonkeyPatch) -> None:
    """Opened, and not told to be played elsewhere, in the middle of the list's reading its file."""
    opened: list[bool] = []
    check = database.check_sound

    def meanwhile(db: Database, path: Path) -> None:
        monkeypatch.setattr(database, "check_sound", check)
        opened.append(Slots(slots.folder).open_working_copy(path.name.removesuffix(".npcsave")).recovered)
        check(db, path)

    monkeypatch.setattr(database, "check_sound", meanwhile)
    assert [info.problem for info in slots.saves()] == ["", ""]
    assert opened == [False]


def test_half_written_files_of_a_slot_that_never_was_are_cleaned_away(slots: Slots) -> None:
    (slots.folder / ".new.npcsave.tmp-0123456789ab").write_bytes(b"half")
    assert sorted(listed(slots)) == ["good", "odd"]
    assert not (slots.folder / ".new.npcsave.tmp-0123456789ab").exists()
