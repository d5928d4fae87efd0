"""Making a new save. Blocks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from sqlite_utils import Database

from npc_server.memory import database, files
from npc_server.memory.migrations import migrate


def create(path: Path, fill: Callable[[Database], object] = lambda db: None) -> None:
    """Writes a new save to `path`, in place of what is there. `fill` stores what it begins with, in one transaction."""

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

    files.write_whole(path, write)
