"""What the model was asked and what it cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlite_utils import Database

from npc_server.clock import HOUR
from npc_server.memory import rows
from npc_server.records import CallOutcome, GameTime, ModelCall, NpcId

_COLUMNS = rows.columns(ModelCall)
BUDGET_SPENT = "BUDGET_SPENT"
BY_INSTINCT = "BY_INSTINCT"
"""Reason of a question that the model is not asked, by its file or by the settings."""
"""Reason of a question that was not asked, because the NPC had spent its share (`mind.tokens_per_game_hour`)."""


@dataclass(frozen=True)
class Spent:
    """The calls of one NPC at one stage that began in one game hour and ended in one way."""

    npc: NpcId
    stage: str
    hour: GameTime
    """When the hour began."""
    outcome: CallOutcome
    why: str
    """A reason such as `MODEL_MISSING`; empty where there is none, or where a sentence says what was wrong with the reply."""
    calls: int
    asked: int
    """Of the calls, those that reached a model; the others had none, and instinct answered."""
    prompt_tokens: int
    cached_tokens: int
    reply_tokens: int
    wall_ms: float


def add(db: Database, calls: Sequence[ModelCall]) -> None:
    rows.insert(db, "calls", _COLUMNS, [rows.values(call, _COLUMNS) for call in calls])


def spent(db: Database) -> list[Spent]:
    """Everything, in order of game time, NPC and stage."""
    keys = f"""npc, stage, at - at % {HOUR} AS hour, outcome, CASE WHEN reason GLOB '*[^A-Z_]*' THEN '' ELSE reason END AS why"""
    sums = "COUNT(*), SUM(prompt_tokens > 0), SUM(prompt_tokens), SUM(cached_tokens), SUM(reply_tokens), SUM(wall_ms)"
    by = "hour, npc, stage, outcome, why"
    found = rows.select(db, f"SELECT {keys}, {sums} FROM calls GROUP BY {by} ORDER BY {by}")
    return [rows.record(Spent, rows.columns(Spent), row) for row in found]
