"""The save's tables, as numbered migrations.

sqlite-utils keeps the names of those applied and runs each in a transaction; each also sets SQLite's `user_version`,
in that same transaction, so that a save from a newer version is known before anything of it is read. A change of the
schema is a new migration at the end, and `tests/memory/saves` gets a save of the version before.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlite_utils import Database, Migrations

from npc_server.memory.schema import VERSION_1, VERSION_2

APPLICATION_ID = 0x4E504353
"""`NPCS` in the file's header: the file is ours."""

Step = Callable[[Database], None]


def steps() -> tuple[Step, ...]:
    """Every migration in order; the version of a save is how many it has had."""
    return (first_tables, affordable_minds)


def newest_version() -> int:
    return len(steps())


def first_tables(db: Database) -> None:
    for statement in VERSION_1:
        db.execute(statement)


def affordable_minds(db: Database) -> None:
    """Steps that are ready to be done, Lifestyle Policies, Social Memory."""
    for statement in VERSION_2:
        db.execute(statement)


def migrate(db: Database, to: tuple[Step, ...] | None = None) -> None:
    """Applies what is missing; each step wholly or not at all."""
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
