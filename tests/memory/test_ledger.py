"""The ledger by game hour: what was asked, and how it ended."""

from __future__ import annotations

import sqlite3

import pytest
from sqlite_utils import Database

from npc_server.clock import HOUR
from npc_server.errors import SaveDamaged
from npc_server.memory import ledger
from npc_server.memory.ledger import BUDGET_SPENT, Spent
from npc_server.memory.schema import VERSION_1
from npc_server.records import CallOutcome, ModelCall


@pytest.fixture
def db() -> Database:
    made = Database(sqlite3.connect(":memory:"))
    for statement in VERSION_1:
        made.execute(statement)
    return made


def call(at: int, outcome: CallOutcome = CallOutcome.USED, reason: str = "", prompt: int = 100) -> ModelCall:
    return ModelCall("ada", "plan", at, prompt, prompt // 2, prompt // 10, 1.5, outcome, reason)


def test_calls_of_one_hour_stand_together(db: Database) -> None:
    ledger.add(db, [call(7 * HOUR), call(8 * HOUR - 1), call(8 * HOUR)])
    assert ledger.spent(db) == [
        Spent("ada", "plan", 7 * HOUR, CallOutcome.USED, "", 2, 2, 200, 100, 20, 3.0),
        Spent("ada", "plan", 8 * HOUR, CallOutcome.USED, "", 1, 1, 100, 50, 10, 1.5),
    ]


@pytest.mark.parametrize("absurd", [2**63, -(2**63) - 1])
def test_a_number_that_no_file_can_hold_costs_its_own_row_and_no_other(db: Database, absurd: int) -> None:
    ledger.add(db, [call(7 * HOUR), call(7 * HOUR, prompt=absurd), call(7 * HOUR)])
    assert [it.calls for it in ledger.spent(db)] == [2]


def test_a_reason_keeps_its_name_and_a_sentence_does_not_split_the_rows(db: Database) -> None:
    wrong = [call(0, CallOutcome.INSTINCT, f"The reply to 'plan' has {n} lines, and 5 to 8 were asked for.") for n in (1, 2)]
    ledger.add(db, [*wrong, call(0, CallOutcome.INSTINCT, BUDGET_SPENT, 0), call(0, CallOutcome.INSTINCT, "DEADLINE_PASSED")])
    assert [(row.why, row.calls, row.asked) for row in ledger.spent(db)] == [("", 2, 2), (BUDGET_SPENT, 1, 0), ("DEADLINE_PASSED", 1, 1)]


def test_an_outcome_of_a_newer_version_is_damage(db: Database) -> None:
    ledger.add(db, [call(0)])
    db.execute("UPDATE calls SET outcome = 'dreamt'")
    with pytest.raises(SaveDamaged):
        ledger.spent(db)
