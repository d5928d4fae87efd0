"""The day's own plan beside what was agreed with others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from npc_server.clock import HOUR
from npc_server.cognition import plan
from npc_server.mind import appointments
from npc_server.mind.instinct import Invitation
from npc_server.mind.mind import Mind
from npc_server.records import PlanLevel, PlanStatus, PlanStep
from tests.minds import MORNING

MakeMind = Callable[..., Mind]


@pytest.mark.parametrize("took_place", [True, False])
async def test_after_an_appointment_nobody_does_the_plans_hour_for_the_same_again(make_mind: MakeMind, took_place: bool) -> None:
    mind = make_mind()
    await plan.plan_day(mind, MORNING)
    mind.drop(mind.steps_of(PlanLevel.HOUR, MORNING))
    rows = [(11, 13, "pace out the tables"), (13, 15, "eat supper")]
    mind.add_steps([PlanStep(mind.npc, 0, PlanLevel.HOUR, 0, MORNING + a * HOUR, MORNING + b * HOUR, text) for a, b, text in rows])
    invited = Invitation(MORNING + 11 * HOUR, MORNING + 12 * HOUR, "millbrook:green", "pace")
    assert appointments.keep(mind, invited, "pace out the tables with Tobin", MORNING)
    if took_place:
        step = await plan.next_step(mind, MORNING + 11 * HOUR)
        mind.update_step(replace(step, status=PlanStatus.DONE))
    after = await plan.next_step(mind, MORNING + 12 * HOUR)
    assert after.text == ("eat supper" if took_place else "pace out the tables")
