"""The ledger on disk: every question to the model, with its cost and outcome."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import structlog
from sqlite_utils import Database

from npc_server.clock import HOUR
from npc_server.memory import rows
from npc_server.records import CallOutcome, GameTime, ModelCall, NpcId

log = structlog.get_logger(__name__)
_COLUMNS = rows.columns(ModelCall)
BUDGET_SPENT = "BUDGET_SPENT"
"""The reason when a question is not asked because the NPC has spent its tokens (the setting `mind.tokens_per_game_hour`)."""
BY_INSTINCT = "BY_INSTINCT"
"""The reason when the model's file or the settings leave a question to instinct."""


@dataclass(frozen=True)
class Spent:
    """The sums over all calls of one NPC, stage, game hour and outcome."""

    npc: NpcId
    stage: str
    hour: GameTime
    """Game time at which the hour began."""
    outcome: CallOutcome
    why: str
    """A reason such as `MODEL_MISSING`. Empty if there is none, or if the reason is a sentence about a wrong reply."""
    calls: int
    asked: int
    """How many of the calls reached a model. Instinct answered the others."""
    prompt_tokens: int
    cached_tokens: int
    reply_tokens: int
    wall_ms: float
    """Milliseconds of wall time."""


def add(db: Database, calls: Sequence[ModelCall]) -> None:
    """Stores calls. One that cannot be stored is left out and noted, because no account of a thought is worth the thought."""
    found = [rows.values(call, _COLUMNS) for call in calls]
    storable = [row for row in found if rows.can_be_stored(row)]
    if len(storable) < len(found):
        strange = next(row for row in found if not rows.can_be_stored(row))
        log.warning("what a question cost cannot be stored, and is left out", calls=len(found) - len(storable), first=repr(strange)[:300])
    rows.insert(db, "calls", _COLUMNS, storable)


def answered(db: Database) -> tuple[int, int, int]:
    """How many calls the model replied to, and the sums of their prompt tokens and reply tokens."""
    sums = "COUNT(*), COALESCE(SUM(prompt_tokens), 0), COALESCE(SUM(reply_tokens), 0)"
    calls, prompt, reply = rows.select(db, f"SELECT {sums} FROM calls WHERE reply_tokens > 0")[0]
    return calls, prompt, reply


def spent(db: Database) -> list[Spent]:
    """All sums, ordered by game hour, NPC and stage. Raises SaveDamaged."""
    keys = f"""npc, stage, at - at % {HOUR} AS hour, outcome, CASE WHEN reason GLOB '*[^A-Z_]*' THEN '' ELSE reason END AS why"""
    sums = "COUNT(*), SUM(prompt_tokens > 0), SUM(prompt_tokens), SUM(cached_tokens), SUM(reply_tokens), SUM(wall_ms)"
    by = "hour, npc, stage, outcome, why"
    found = rows.select(db, f"SELECT {keys}, {sums} FROM calls GROUP BY {by} ORDER BY {by}")
    return [rows.record(Spent, rows.columns(Spent), row) for row in found]
