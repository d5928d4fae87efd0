"""Plans on disk (Generative Agents, section 4.3): the day, its hours, its steps."""

from __future__ import annotations

from collections.abc import Sequence

from sqlite_utils import Database

from npc_server import clock
from npc_server.errors import UnknownName
from npc_server.memory import rows
from npc_server.records import Address, GameTime, NpcId, PlanStatus, PlanStep, Source

_COLUMNS = rows.columns(PlanStep)


def insert(db: Database, steps: Sequence[PlanStep]) -> None:
    rows.insert(db, "plan_steps", _COLUMNS, [rows.values(step, _COLUMNS) for step in steps])


def update(
    db: Database, npc: NpcId, step: int, status: PlanStatus | None = None, address: Address | None = None, source: Source | None = None
) -> None:
    """Changes what is given. Raises UnknownName."""
    sql = """UPDATE plan_steps SET status = COALESCE(?, status), address = COALESCE(?, address), source = COALESCE(?, source)
             WHERE npc = ? AND id = ?"""
    values = (status.value if status else None, address, source.value if source else None, npc, step)
    if not db.execute(sql, values).rowcount:
        raise UnknownName(f"{npc!r} has no plan step {step}.", "Insert it first.", npc=npc)


def load_day(db: Database, npc: NpcId, day: GameTime) -> list[PlanStep]:
    """Every step, of every level, that touches the day in which `day` lies, by start and then id."""
    start = clock.day_start(day)
    rest = 'FROM plan_steps WHERE npc = ? AND start < ? AND ("end" > ? OR start >= ?) ORDER BY start, id'
    return rows.records(db, PlanStep, _COLUMNS, rest, (npc, start + clock.DAY, start, start))


def load_since(db: Database, npc: NpcId, at: GameTime) -> list[PlanStep]:
    """Every step that ends after `at`, also one of a day to come, by id."""
    return rows.records(db, PlanStep, _COLUMNS, 'FROM plan_steps WHERE npc = ? AND "end" > ? ORDER BY id', (npc, at))


def load(db: Database, npc: NpcId) -> list[PlanStep]:
    """Every step there ever was, by start and then id."""
    return rows.records(db, PlanStep, _COLUMNS, "FROM plan_steps WHERE npc = ? ORDER BY start, id", (npc,))


def next_id(db: Database, npc: NpcId) -> int:
    found = rows.select(db, "SELECT COALESCE(MAX(id), 0) + 1 FROM plan_steps WHERE npc = ?", (npc,))
    return int(found[0][0])


def delete(db: Database, npc: NpcId, steps: Sequence[int]) -> None:
    """Takes steps back."""
    db.conn.executemany("DELETE FROM plan_steps WHERE npc = ? AND id = ?", [(npc, number) for number in steps])
