"""The save's tables, as numbered migrations.

sqlite-utils keeps the names of those applied and runs each in a transaction; each also sets SQLite's `user_version`,
in that same transaction, so that a save from a newer version is known before anything of it is read. A change of the
schema is a new migration at the end, and `tests/memory/saves` gets a save of the version before.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from sqlite_utils import Database, Migrations

from npc_server.memory import codec
from npc_server.memory.schema import VERSION_1, VERSION_2, VERSION_3, VERSION_4, VERSION_5, VERSION_6
from npc_server.memory.step_sentences import command_of
from npc_server.memory.topics import topic_of
from npc_server.records import MemoryTopic

APPLICATION_ID = 0x4E504353
"""`NPCS` in the file's header: the file is ours."""

Step = Callable[[Database], None]


def steps() -> tuple[Step, ...]:
    """Every migration in order; the version of a save is how many it has had."""
    return (first_tables, affordable_minds, coded_outcomes, origins_of_steps, topics_of_memories, typed_steps, tokens_left)


def newest_version() -> int:
    return len(steps())


def first_tables(db: Database) -> None:
    for statement in VERSION_1:
        db.execute(statement)


def affordable_minds(db: Database) -> None:
    """Steps that are ready to be done, Lifestyle Policies, Social Memory."""
    for statement in VERSION_2:
        db.execute(statement)


def coded_outcomes(db: Database) -> None:
    """Why an action failed, as a code. What is stored without one has it from the words, as `wire` reads them from a game."""
    for statement in VERSION_3:
        db.execute(statement)
    db.execute("UPDATE actions SET code = CASE WHEN instr(reason, 'occupied') THEN 'occupied' ELSE 'other' END WHERE outcome = 'failed'")
    for epoch, seq, body in db.execute("SELECT epoch, seq, body FROM inbox WHERE kind = 'outcome' AND done = 0").fetchall():
        if (coded := _with_code(body)) is not None:
            db.execute("UPDATE inbox SET body = ? WHERE epoch = ? AND seq = ?", (coded, epoch, seq))


def origins_of_steps(db: Database) -> None:
    """How each step came into the plan; the id of the step it is part of says only that."""
    for statement in VERSION_4:
        db.execute(statement)


def topics_of_memories(db: Database) -> None:
    """What each memory is of; those that there are have it from their sentences."""
    for statement in VERSION_5:
        db.execute(statement)
    found = db.execute("SELECT npc, id, text FROM memories WHERE typeof(text) = 'text'").fetchall()
    topics = [(topic_of(text).value, npc, number) for npc, number, text in found]
    written = [row for row in topics if row[0] != MemoryTopic.OTHER.value]
    db.conn.executemany("UPDATE memories SET topic = ? WHERE npc = ? AND id = ?", written)


def typed_steps(db: Database) -> None:
    """What kind of step each is, and what the plan keeps of household commands; those that there are have it from their words."""
    for statement in VERSION_6:
        db.execute(statement)
    # A step is paused, and not done by commands, where its words said so.
    db.execute("UPDATE plan_steps SET kind = 'pause' WHERE level = 'step' AND (text GLOB 'waiting*' OR text GLOB 'resting*')")
    under = "FROM plan_steps s JOIN plan_steps p ON p.npc = s.npc AND p.id = s.parent WHERE s.level = 'step' AND p.level = 'step'"
    found = db.execute(f"SELECT s.npc, s.id, s.status, s.does, s.sentence {under}").fetchall()
    kept = [(codec.dumps(command_of(status, does, sentence)), npc, number) for npc, number, status, does, sentence in found]
    db.conn.executemany("UPDATE plan_steps SET command = ?, sentence = '' WHERE npc = ? AND id = ?", kept)


def tokens_left(db: Database) -> None:
    """In the state of a person the tokens it may still spend were called its purse."""
    for npc, state in db.execute("SELECT npc, state FROM people WHERE typeof(state) = 'text' AND state GLOB '*\"purse\"*'").fetchall():
        try:
            kept = json.loads(state)
        except (ValueError, RecursionError):
            continue  # who opens it will say so
        if isinstance(kept, dict) and "purse" in kept:
            renamed = {"tokens_left" if name == "purse" else name: value for name, value in kept.items()}
            db.execute("UPDATE people SET state = ? WHERE npc = ?", (json.dumps(renamed, ensure_ascii=False), npc))


def _with_code(body: object) -> str | None:
    """A waiting outcome that failed for want of room; None for any other, and for what does not read (who opens it will say so)."""
    try:
        outcome = json.loads(body) if isinstance(body, str) else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(outcome, dict) or outcome.get("status") != "failed" or "occupied" not in str(outcome.get("reason")):
        return None
    return json.dumps({**outcome, "code": "occupied"}, ensure_ascii=False)


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
