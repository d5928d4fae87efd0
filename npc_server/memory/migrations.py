"""Numbered migrations, which make the tables of a save.

sqlite-utils runs each migration in a transaction and stores the names of those applied. Each also sets SQLite's `user_version` in that
transaction, so that a save from a newer version is recognised before anything else is read. A change of the schema is a new migration
at the end, and `tests/memory/saves` gets a save of the version before.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from sqlite_utils import Database, Migrations

from npc_server.memory import codec
from npc_server.memory.schema import VERSION_1, VERSION_2, VERSION_3, VERSION_4, VERSION_5, VERSION_6, VERSION_8, VERSION_10, VERSION_11
from npc_server.memory.step_sentences import command_of
from npc_server.memory.topics import topic_of
from npc_server.records import MemoryTopic

APPLICATION_ID = 0x4E504353
"""`NPCS` in the file's header marks a save of npc-server."""

Step = Callable[[Database], None]
"""One migration. Its function's name becomes part of the migration's name, so it is never renamed."""


def steps() -> tuple[Step, ...]:
    """Every migration in order. The version of a save is the number of migrations that were applied to it."""
    return (
        first_tables,
        affordable_minds,
        coded_outcomes,
        origins_of_steps,
        topics_of_memories,
        typed_steps,
        tokens_left,
        own_deeds,
        needs_and_moods,
        people_of_appointments,
        people_of_talks,
    )


def newest_version() -> int:
    """The version of a new save."""
    return len(steps())


def first_tables(db: Database) -> None:
    """Version 1: the first tables."""
    for statement in VERSION_1:
        db.execute(statement)


def affordable_minds(db: Database) -> None:
    """Version 2: plan steps with place and action, Lifestyle Policies, and Social Memory."""
    for statement in VERSION_2:
        db.execute(statement)


def coded_outcomes(db: Database) -> None:
    """Version 3: a code says why an action failed. In older saves it is read from the reason's words, as `wire` reads those of a game."""
    for statement in VERSION_3:
        db.execute(statement)
    db.execute("UPDATE actions SET code = CASE WHEN instr(reason, 'occupied') THEN 'occupied' ELSE 'other' END WHERE outcome = 'failed'")
    for epoch, seq, body in db.execute("SELECT epoch, seq, body FROM inbox WHERE kind = 'outcome' AND done = 0").fetchall():
        if (coded := _with_code(body)) is not None:
            db.execute("UPDATE inbox SET body = ? WHERE epoch = ? AND seq = ?", (coded, epoch, seq))


def origins_of_steps(db: Database) -> None:
    """Version 4: `origin` says how a step came into the plan. Before, a parent of -1 said it."""
    for statement in VERSION_4:
        db.execute(statement)


def topics_of_memories(db: Database) -> None:
    """Version 5: memories have a topic. In older saves it is read from their sentences."""
    for statement in VERSION_5:
        db.execute(statement)
    found = db.execute("SELECT npc, id, text FROM memories WHERE typeof(text) = 'text'").fetchall()
    topics = [(topic_of(text).value, npc, number) for npc, number, text in found]
    written = [row for row in topics if row[0] != MemoryTopic.OTHER.value]
    db.conn.executemany("UPDATE memories SET topic = ? WHERE npc = ? AND id = ?", written)


def typed_steps(db: Database) -> None:
    """Version 6: steps have a kind, and household commands are records. In older saves both are read from the steps' words."""
    for statement in VERSION_6:
        db.execute(statement)
    # Older saves marked a pause only by the first word of the step.
    db.execute("UPDATE plan_steps SET kind = 'pause' WHERE level = 'step' AND (text GLOB 'waiting*' OR text GLOB 'resting*')")
    under = "FROM plan_steps s JOIN plan_steps p ON p.npc = s.npc AND p.id = s.parent WHERE s.level = 'step' AND p.level = 'step'"
    found = db.execute(f"SELECT s.npc, s.id, s.status, s.does, s.sentence {under}").fetchall()
    kept = [(codec.dumps(command_of(status, does, sentence)), npc, number) for npc, number, status, does, sentence in found]
    db.conn.executemany("UPDATE plan_steps SET command = ?, sentence = '' WHERE npc = ? AND id = ?", kept)


def tokens_left(db: Database) -> None:
    """Version 7: a person's state calls the remaining tokens `tokens_left`. Before, they were called `purse`."""
    for npc, state in db.execute("SELECT npc, state FROM people WHERE typeof(state) = 'text' AND state GLOB '*\"purse\"*'").fetchall():
        try:
            kept = json.loads(state)
        except (ValueError, RecursionError):
            continue  # Opening the save reports the damage.
        if isinstance(kept, dict) and "purse" in kept:
            renamed = {"tokens_left" if name == "purse" else name: value for name, value in kept.items()}
            db.execute("UPDATE people SET state = ? WHERE npc = ?", (json.dumps(renamed, ensure_ascii=False), npc))


def own_deeds(db: Database) -> None:
    """Actions say what others see of them. Memories may be of the topic `own_deeds`, which older versions do not know."""
    for statement in VERSION_8:
        db.execute(statement)


def needs_and_moods(db: Database) -> None:
    """Adds needs and a mood to the state of a person. Who has none starts well fed and neutral. An older server must not read them."""


def people_of_appointments(db: Database) -> None:
    """An appointment says with whom it is, and a promise with an hour is marked. Older saves name people only in the words."""
    for statement in VERSION_10:
        db.execute(statement)


def people_of_talks(db: Database) -> None:
    """An action says with whom somebody talks. Older saves tell it only in the words."""
    for statement in VERSION_11:
        db.execute(statement)


def _with_code(body: object) -> str | None:
    """The outcome of an action that failed at an occupied place, with its code; None for any other.

    An outcome that cannot be read is left alone, since opening the save reports the damage.
    """
    try:
        outcome = json.loads(body) if isinstance(body, str) else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(outcome, dict) or outcome.get("status") != "failed" or "occupied" not in str(outcome.get("reason")):
        return None
    return json.dumps({**outcome, "code": "occupied"}, ensure_ascii=False)


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
