"""How a save is read through."""

from __future__ import annotations

import io
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from npc_server.memory import database
from npc_server.memory.create import create

MIB = 1 << 20


def test_a_file_is_brought_into_memory_whole_and_in_few_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After each a busy thread may keep Python's lock for milliseconds: a go for each megabyte let a large save wait half a second."""
    path = tmp_path / "a.npcsave"
    goes: list[int] = []

    class Counted(io.FileIO):
        def readinto(self, buffer: Any) -> int:
            goes.append(super().readinto(buffer) or 0)
            return goes[-1]

        def read(self, size: int | None = -1) -> bytes:
            raise AssertionError("each piece takes memory of its own")

    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE pages (content BLOB)")
        connection.execute("INSERT INTO pages VALUES (zeroblob(?))", (40 * MIB,))
        connection.commit()
        monkeypatch.setattr(Path, "open", lambda self, mode, buffering: Counted(self))
        database.read_ahead(path, database.as_database(connection))
    assert sum(goes) == path.stat().st_size
    assert len(goes) <= 6


def test_a_save_waits_for_the_disk_unless_it_is_told_not_to(tmp_path: Path) -> None:
    found = []
    for full_sync in (True, False):
        path = tmp_path / f"{full_sync}.npcsave"
        create(path)
        db = database.open_writer(path, full_sync=full_sync)
        found.append(db.conn.execute("PRAGMA synchronous").fetchone()[0])
        db.close()
    assert found == [2, 0]
