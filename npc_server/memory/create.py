"""Creates a new save. Everything here blocks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from sqlite_utils import Database

from npc_server.memory import database, files
from npc_server.memory.migrations import migrate


def create(path: Path, fill: Callable[[Database], object] = lambda db: None) -> None:
    """Writes a new save to `path` and replaces a file that is there. `fill` stores its first content, in one transaction.

    Raises SaveFull or another SaveError. Then `path` is as it was.
    """

    def write(fresh: Path) -> None:
        connection = database.connect(fresh, "rwc")
        try:
            connection.execute("PRAGMA foreign_keys = ON")
            db = database.as_database(connection)
            migrate(db)
            with db.atomic():
                fill(db)
        finally:
            connection.close()

    files.write_atomically(path, write)
