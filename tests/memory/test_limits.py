from __future__ import annotations

import sqlite3
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest
from sqlite_utils import Database

from npc_server.errors import SaveDamaged, Stopping
from npc_server.memory import database, limits, memories, meta, people
from npc_server.memory.create import create
from npc_server.memory.slots import Slots
from npc_server.records import Memory, MemoryKind

ENDLESS = "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT COUNT(*) FROM r"


def test_a_query_without_end_is_broken_off(save: Path) -> None:
    with pytest.raises(SaveDamaged, match="steps to read"), database.reading(save) as db:
        db.conn.execute(ENDLESS).fetchall()


def test_a_read_ends_when_the_server_stops(save: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "LEAST_STEPS", 1 << 60)
    monkeypatch.setattr(limits, "MOST_STEPS", 1 << 60)
    stopping = threading.Event()
    raised: list[BaseException] = []

    def read() -> None:
        try:
            with database.reading(save, stopping) as db:
                running.set()
                db.conn.execute(ENDLESS).fetchall()
        except Stopping as error:
            raised.append(error)

    running = threading.Event()
    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    running.wait()
    stopping.set()
    thread.join(60)
    assert [type(error) for error in raised] == [Stopping]


def test_a_list_ends_when_the_server_stops(tmp_path: Path) -> None:
    slots = Slots(tmp_path)
    slots.create("large", many_small_rows)
    slots.stop()
    with pytest.raises(Stopping):
        slots.saves()


def many_small_rows(db: Database) -> None:
    people.insert(db, [people.Person("ada", "Ada Moss")])
    memories.insert(db, [Memory("ada", n, MemoryKind.OBSERVATION, "x", 1, 1, 1, evidence=(1,)) for n in range(1, 5_001)])


def test_a_real_save_needs_less_than_half_of_what_it_may(tmp_path: Path) -> None:
    """With the smallest rows there are, which need the most work for each byte."""
    path = tmp_path / "small.npcsave"
    create(path, many_small_rows)
    taken = 0

    def count() -> int:
        nonlocal taken
        taken += 100
        return 0

    with closing(database.connect(path, "ro")) as connection:
        connection.set_progress_handler(count, 100)
        database.check_sound(database.as_database(connection), path)
    assert 0 < taken < path.stat().st_size  # two for each byte, and a few million


@pytest.mark.skipif(sys.version_info < (3, 11), reason="SQLite's limits cannot be set before Python 3.11")
def test_a_value_larger_than_any_of_ours_is_not_read(save: Path) -> None:
    with closing(sqlite3.connect(save, isolation_level=None)) as connection:
        connection.execute("UPDATE meta SET value = zeroblob(20000000) WHERE key = 'town'")
    with pytest.raises(SaveDamaged, match="too big"), database.reading(save) as db:
        meta.read(db)
