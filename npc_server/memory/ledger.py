"""What the model was asked and what it cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlite_utils import Database

from npc_server.memory import rows
from npc_server.records import CallOutcome, ModelCall, NpcId

_COLUMNS = rows.columns(ModelCall)


@dataclass(frozen=True)
class Total:
    """The calls of one NPC at one stage that ended in one way."""

    npc: NpcId
    stage: str
    outcome: CallOutcome
    calls: int
    asked: int
    """Of the calls, those that reached a model; the others had none, and instinct answered."""
    prompt_tokens: int
    cached_tokens: int
    reply_tokens: int
    wall_ms: float


def add(db: Database, calls: Sequence[ModelCall]) -> None:
    rows.insert(db, "calls", _COLUMNS, [rows.values(call, _COLUMNS) for call in calls])


def totals(db: Database) -> list[Total]:
    """Ordered by NPC, stage and outcome."""
    rest = "FROM calls GROUP BY npc, stage, outcome ORDER BY npc, stage, outcome"
    sums = "COUNT(*), SUM(prompt_tokens > 0), SUM(prompt_tokens), SUM(cached_tokens), SUM(reply_tokens), SUM(wall_ms)"
    found = rows.select(db, f"SELECT npc, stage, outcome, {sums} {rest}")
    return [rows.record(Total, rows.columns(Total), row) for row in found]
