"""A ledger, added up."""

from __future__ import annotations

import json

from npc_eval.cost.sums import Bill, as_json, by_hour, by_outcome, by_person, by_stage, total
from npc_server.records import CallOutcome
from tests.npc_eval.cost.bills import BILL, spent


def test_a_cached_token_is_free_and_the_dearest_come_first() -> None:
    it = total(BILL.spent)
    assert (it.questions, it.calls, it.computed, it.cached, it.reply, it.tokens) == (4, 3, 130, 120, 20, 150)
    assert (it.retried, it.cancelled, it.instinct, it.refused, it.wall_s) == (1, 1, 1, 1, 2.0)
    assert [(stage, sums.tokens) for stage, sums in by_stage(BILL).items()] == [("plan", 100), ("say", 50)]
    assert [(npc, sums.tokens) for npc, sums in by_person(BILL).items()] == [("ada", 100), ("ben", 50), ("cy", 0)]
    assert [sums.tokens for sums in by_hour(BILL).values()] == [100, 0, 0, 50]
    assert list(by_outcome(BILL)) == ["used", "retried", "instinct: BUDGET_SPENT", "cancelled"]
    assert json.dumps(as_json(BILL), allow_nan=False)


def test_hours_are_not_filled_up_over_years() -> None:
    far = Bill("", 0, {}, (spent("ada", "say", 0, CallOutcome.USED, 1), spent("ada", "say", 10**6, CallOutcome.USED, 1)))
    assert len(by_hour(far)) == 2
