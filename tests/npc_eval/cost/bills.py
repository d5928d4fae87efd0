"""A bill of a few questions, made by hand."""

from __future__ import annotations

from npc_eval.cost.sums import Bill
from npc_server.clock import HOUR, parse_datetime
from npc_server.memory.ledger import BUDGET_SPENT, Spent
from npc_server.records import CallOutcome

SIX = parse_datetime("2026-05-04 06:00")


def spent(npc: str, stage: str, hours: int, outcome: CallOutcome, prompt: int, cached: int = 0, reply: int = 0, why: str = "") -> Spent:
    return Spent(npc, stage, SIX + hours * HOUR, outcome, why, 1, int(prompt > 0), prompt, cached, reply, 500.0)


BILL = Bill(
    "Millbrook",
    SIX + 9 * HOUR,
    {"ada": "Ada Moss", "ben": "Benvenuta Halloway-Penrose of the Upper Mill at Alderwick", "cy": "Cy [red]\x1b[31mRook"},
    (
        spent("ada", "plan", 0, CallOutcome.RETRIED, 100, 20, 10),
        spent("ada", "plan", 0, CallOutcome.USED, 100, 100, 10),
        spent("ben", "say", 3, CallOutcome.CANCELLED, 50),
        spent("ben", "say", 3, CallOutcome.INSTINCT, 0, why=BUDGET_SPENT),
    ),
)
