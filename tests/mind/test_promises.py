"""Own promises in prompts: until when they are shown, and as what."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from npc_server.clock import DAY, HOUR, MINUTE
from npc_server.mind import appointments, promises
from npc_server.mind.instinct import Invitation
from npc_server.mind.mind import Mind
from npc_server.mind.moment import moment
from npc_server.records import MemoryKind, MemorySource, PlanLevel, PlanOrigin, PlanStatus, PlanStep
from tests.minds import MORNING

MakeMind = Callable[..., Mind]
SIX_PM = MORNING + 12 * HOUR
TABLES = Invitation(SIX_PM + 30 * MINUTE, SIX_PM + 90 * MINUTE, "millbrook:green", "pace out the tables with Tobin")
PROMISE = "Mara promised Tobin Hale to pace out the tables with Tobin at the village green, on Monday 4 May at 18:30."


async def agrees(mind: Mind) -> PlanStep:
    await appointments.promise(mind, TABLES, ["tobin_hale"], MORNING)
    return appointments.coming(mind, MORNING)[0]


def carried_out(mind: Mind, appointment: PlanStep) -> None:
    step = PlanStep(mind.npc, 0, PlanLevel.STEP, appointment.id, appointment.start, appointment.end, "pace", status=PlanStatus.DONE)
    mind.add_steps([step])


async def test_a_promise_is_told_until_it_is_kept_and_one_that_was_not_kept_says_so(make_mind: MakeMind) -> None:
    mind = make_mind()
    appointment = await agrees(mind)
    assert promises.to(mind, "tobin_hale", SIX_PM) == [f"(12 hours ago) {PROMISE}"]
    later = SIX_PM + 3 * HOUR
    assert promises.to(mind, "tobin_hale", later) == [f"(15 hours ago, not kept) {PROMISE}"]
    carried_out(mind, appointment)
    assert promises.to(mind, "tobin_hale", later) == []


async def test_a_promise_that_a_talk_left_shares_the_fate_of_the_appointment_at_its_hour(make_mind: MakeMind) -> None:
    mind = make_mind()
    appointment = await agrees(mind)
    await appointments.remember_promise(mind, "this: to bring string on Monday 4 May at 18:30", ["tobin_hale"], MORNING)
    assert len(promises.to(mind, "tobin_hale", SIX_PM)) == 2
    carried_out(mind, appointment)
    assert promises.to(mind, "tobin_hale", SIX_PM + DAY) == []


async def test_a_promise_with_an_hour_is_never_among_those_without_one(make_mind: MakeMind) -> None:
    mind = make_mind()
    for what in ("this: to bring string on Monday 4 May at 18:30", "this: to hold the saw on Wednesday 6 May, 17:30", "to bring flour"):
        await appointments.remember_promise(mind, what, ["tobin_hale"], MORNING)
    assert promises.without_hour(mind, MORNING) == ["(just now) Mara promised Tobin Hale to bring flour."]


async def test_a_promise_for_today_that_is_no_appointment_stands_among_what_was_agreed_until_its_hour(make_mind: MakeMind) -> None:
    mind = make_mind()
    await agrees(mind)
    for what in ("this: to be there at 18:30", "this: to fetch the sacks at 17:00", "this: to saw on Wednesday 6 May at 17:30"):
        await appointments.remember_promise(mind, what, ["tobin_hale"], MORNING)
    shown = ["17:00 Mara promised Tobin Hale this: to fetch the sacks at 17:00.", "18:30 pace out the tables with Tobin"]
    assert promises.agreed_today(mind, MORNING) == shown
    assert promises.agreed_today(mind, SIX_PM) == shown[1:], "the hour of the sacks is past"


@pytest.mark.parametrize("met", [True, False])
async def test_who_talks_with_them_at_that_hour_has_kept_the_appointment(make_mind: MakeMind, met: bool) -> None:
    mind = make_mind()
    await agrees(mind)
    at = TABLES.start + 5 * MINUTE if met else MORNING + HOUR
    await mind.remember(
        ["Mara and Tobin talked of tables."],
        kind=MemoryKind.CONVERSATION,
        at=at,
        importance=[3],
        source=MemorySource.SEEN,
        triples=[("Mara", "talked with", "Tobin Hale")],
    )
    assert (promises.to(mind, "tobin_hale", SIX_PM + DAY) == []) is met


async def test_the_hour_of_an_appointment_is_the_agreed_one_though_it_is_agreed_at_the_last_minute(make_mind: MakeMind) -> None:
    mind = make_mind()
    now = TABLES.start - 5 * MINUTE
    assert appointments.keep(mind, TABLES, "pace out the tables", now)
    assert appointments.of_today(mind, now) == ["18:30 pace out the tables"]
    assert appointments.due(mind, now) is not None


async def test_an_hour_of_the_plan_at_the_agreed_hour_is_not_told_beside_the_appointment(make_mind: MakeMind) -> None:
    mind = make_mind()
    appointment = await agrees(mind)
    at = replace(appointment, origin=PlanOrigin.PLANNED, start=TABLES.start, text="pace the tables")
    after = replace(at, start=TABLES.end, end=TABLES.end + HOUR, text="eat supper")
    mind.add_steps([at, after])
    assert moment(mind, SIX_PM).next.startswith("18:30 pace out the tables with Tobin, 19:30 eat supper")
