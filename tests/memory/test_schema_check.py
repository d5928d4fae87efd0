"""Files whose tables are not those of a save: what a stranger wrote into them must not run."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from npc_server.errors import SaveDamaged
from npc_server.memory import meta
from npc_server.memory.slots import Slots
from tests.memory.copies import opened

ENDLESS = "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r)"
CALLS = "SELECT sql FROM sqlite_master WHERE name = 'calls'"

HOSTILE = {
    "a view in a table's place": (
        ["DROP TABLE meta", f"CREATE VIEW meta AS {ENDLESS} SELECT 'x' AS key, i AS value FROM r WHERE i < 0"],
        "'meta' is a view that is not as npc-server makes it",
    ),
    "a trigger": (
        ["CREATE TRIGGER t AFTER INSERT ON meta BEGIN DELETE FROM memories; END"],
        "it has a trigger 't', which is not npc-server's",
    ),
    "a computed column": (
        ["DROP TABLE known", "CREATE TABLE known (npc, address, state, seen_at, n AS (length(hex(zeroblob(100000)))))"],
        "'known' is a table that is not as npc-server makes it",
    ),
    "an index on an expression": (["CREATE INDEX i ON memories (length(hex(text)))"], "it has an index 'i'"),
    "a virtual table": (["CREATE VIRTUAL TABLE v USING fts4(a)"], "it has a table 'v'"),
    "a table with a check": (["CREATE TABLE t (a CHECK (length(randomblob(9000000)) > 0))"], "it has a table 't'"),
    "a table under the name of the migrations": (
        ["DROP TABLE _sqlite_migrations", f"CREATE VIEW _sqlite_migrations AS {ENDLESS} SELECT i FROM r WHERE i < 0"],
        "it has a view '_sqlite_migrations'",
    ),
    "an expression in the table of the migrations": (
        ["DROP TABLE _sqlite_migrations", "CREATE TABLE _sqlite_migrations (a CHECK (length(randomblob(9000000)) > 0))"],
        "it has a table '_sqlite_migrations'",
    ),
    "thousands of views": ([f"CREATE VIEW v{n} AS SELECT 1" for n in range(600)], "more than 500 tables"),
}


def spoil(path: Path, statements: Sequence[str]) -> bytes:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)
    return path.read_bytes()


@pytest.fixture
def slots(tmp_path: Path) -> Slots:
    made = Slots(tmp_path / "saves")
    for name in ("evil", "good"):
        made.create(name, lambda db: meta.write(db, town="Millbrook"))
    return made


@pytest.mark.parametrize("name", HOSTILE)
def test_a_save_with_foreign_parts_is_listed_with_the_problem_and_not_opened(slots: Slots, name: str) -> None:
    statements, problem = HOSTILE[name]
    before = spoil(slots.path("evil"), statements)
    listed = {info.slot: info for info in slots.saves()}
    assert problem in listed["evil"].problem
    assert (listed["good"].town, listed["good"].problem) == ("Millbrook", "")
    with pytest.raises(SaveDamaged):
        slots.open_working_copy("evil")
    assert slots.path("evil").read_bytes() == before


def test_a_working_copy_with_foreign_parts_is_not_continued(slots: Slots) -> None:
    copy = opened(slots, "evil")
    slots.close("evil", keep_unsaved=True)
    spoil(copy.path, HOSTILE["a trigger"][0])
    with pytest.raises(SaveDamaged, match="trigger"):
        slots.open_working_copy("evil")


def test_what_tools_leave_in_a_save_is_let_be(slots: Slots) -> None:
    spoil(slots.path("good"), ["ANALYZE", "CREATE VIEW mine AS SELECT text FROM memories"])
    assert slots.info("good").town == "Millbrook"
    slots.open_working_copy("good")
