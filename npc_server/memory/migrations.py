"""Numbered migrations, which make the tables of a save.

sqlite-utils runs each migration in a transaction and stores the names of those applied. Each also sets SQLite's `user_version` in that
transaction, so that a save from a newer version is recognised before anything else is read. A change of the schema is a new migration
at the end, and `tests/memory/saves` gets a save of the version before.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlite_utils import Database, Migrations

from npc_server.memory.schema import VERSION_1

APPLICATION_ID = 0x4E504353
"""`NPCS` in the file's header marks a save of npc-server."""

Step = Callable[[Database], None]
"""One migration. Its function's name becomes part of the migration's name, so it is never renamed."""


def steps() -> tuple[Step, ...]:
    """Every migration in order. The version of a save is the number of migrations that were applied to it."""
    return (first_tables,)


def newest_version() -> int:
    """The version of a new save."""
    return len(steps())


def first_tables(db: Database) -> None:
    """Version 1: the tables of npc-server 0.1."""
    for statement in VERSION_1:
        db.execute(statement)


def migrate(db: Database, to: tuple[Step, ...] | None = None) -> None:
    """Applies the missing migrations, each in one transaction. `to` limits them to an older version."""
    migrations = Migrations("npc-server")
    for number, step in enumerate(to if to is not None else steps(), start=1):
        migrations(name=f"{number:04}_{step.__name__}")(_versioned(step, number))
    migrations.apply(db)


def _versioned(step: Step, number: int) -> Step:
    def apply(db: Database) -> None:
        step(db)
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        db.execute(f"PRAGMA user_version = {number}")

    return apply
