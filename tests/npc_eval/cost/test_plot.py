from __future__ import annotations

from npc_eval.cost.plot import stacks
from npc_eval.cost.sums import Bill, by_person
from npc_server.records import CallOutcome
from tests.npc_eval.cost.bills import spent


def test_many_people_share_a_colour_after_the_dearest() -> None:
    bill = Bill("", 0, {}, tuple(spent(f"p{i:02}", "say", 0, CallOutcome.USED, 100 - i) for i in range(20)))
    stacked = stacks(bill, list(by_person(bill)), lambda row: row.npc)
    assert list(stacked) == [f"p{i:02}" for i in range(9)] + ["others"]
    assert stacked["others"] == [sum(100 - i for i in range(9, 20))]
