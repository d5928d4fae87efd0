"""Plans on disk (Generative Agents, section 4.3): broad strokes of days, hours, and steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlite_utils import Database

from npc_server import clock
from npc_server.errors import UnknownName
from npc_server.memory import codec, rows
from npc_server.records import GameTime, NpcId, PlannedCommand, PlanStep

_FLAT = rows.columns(PlanStep, without=("command", "people"))
_COLUMNS = (*_FLAT, "command", "people")
"""`command` and `people` are JSON. They are empty for a step without them."""


def insert(db: Database, steps: Sequence[PlanStep]) -> None:
    """Stores new steps."""
    rows.insert(db, "plan_steps", _COLUMNS, [_values(step) for step in steps])


def update(db: Database, step: PlanStep) -> None:
    """Replaces the step with the same id. Raises UnknownName."""
    sql = f"UPDATE plan_steps SET ({rows.quoted(_COLUMNS)}) = ({', '.join('?' * len(_COLUMNS))}) WHERE npc = ? AND id = ?"
    if not db.execute(sql, (*_values(step), step.npc, step.id)).rowcount:
        raise UnknownName(f"{step.npc!r} has no plan step {step.id}.", "Insert it first.", npc=step.npc)


def load_day(db: Database, npc: NpcId, day: GameTime) -> list[PlanStep]:
    """The steps of all levels that overlap the calendar day of `day`, ordered by start and id. Raises SaveDamaged."""
    start = clock.day_start(day)
    rest = 'FROM plan_steps WHERE npc = ? AND start < ? AND ("end" > ? OR start >= ?) ORDER BY start, id'
    return _steps(db, rest, (npc, start + clock.DAY, start, start))


def load_since(db: Database, npc: NpcId, at: GameTime) -> list[PlanStep]:
    """The steps of all days that end after `at`, ordered by id. Raises SaveDamaged."""
    return _steps(db, 'FROM plan_steps WHERE npc = ? AND "end" > ? ORDER BY id', (npc, at))


def load(db: Database, npc: NpcId) -> list[PlanStep]:
    """All steps of an NPC, ordered by start and id. Raises SaveDamaged."""
    return _steps(db, "FROM plan_steps WHERE npc = ? ORDER BY start, id", (npc,))


def next_id(db: Database, npc: NpcId) -> int:
    """The first id above those of all stored steps."""
    found = rows.select(db, "SELECT COALESCE(MAX(id), 0) + 1 FROM plan_steps WHERE npc = ?", (npc,))
    return int(found[0][0])


def delete(db: Database, npc: NpcId, steps: Sequence[int]) -> None:
    """Deletes steps by their ids."""
    db.conn.executemany("DELETE FROM plan_steps WHERE npc = ? AND id = ?", [(npc, number) for number in steps])


def _values(step: PlanStep) -> list[Any]:
    command = codec.dumps(step.command) if step.command is not None else ""
    return [*rows.values(step, _FLAT), command, codec.dumps(_People(step.people)) if step.people else ""]


def _steps(db: Database, rest: str, parameters: Sequence[Any]) -> list[PlanStep]:
    """The steps that `SELECT … <rest>` finds. Raises SaveDamaged."""
    found = []
    for *flat, command, people in rows.select(db, f"SELECT {rows.quoted(_COLUMNS)} {rest}", parameters):
        step = rows.record(PlanStep, _FLAT, flat)
        step = replace(step, command=codec.loads(PlannedCommand, command)) if command else step
        found.append(replace(step, people=codec.loads(_People, people).ids) if people else step)
    return found


@dataclass(frozen=True)
class _People:
    """The column `people`."""

    ids: tuple[str, ...]
