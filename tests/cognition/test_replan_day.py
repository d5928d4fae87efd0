"""The rest of a day planned anew: by a whisper, and by what was agreed in a talk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from npc_eval.stand_in import StandIn
from npc_server.clock import HOUR, MINUTE, hhmm
from npc_server.cognition import plan
from npc_server.cognition.replan_day import replan_day, replan_if_agreed
from npc_server.llm.scripted import ScriptedEngine
from npc_server.mind import appointments
from npc_server.mind.instinct import Invitation
from npc_server.mind.mind import Mind
from npc_server.records import MemoryKind, PlanLevel, PlanOrigin, PlanStatus, Source
from tests.cognition.test_plan import DAY, STEPS
from tests.minds import MORNING, same_as_golden

MakeMind = Callable[..., Mind]
WISH = "You want to run for mayor."
CAMPAIGN = """07:30 | run for mayor | write down what the village needs
10:00 | run for mayor | talk to the people at the green
17:00 | an evening at home | eat supper and think about it"""


def hours(mind: Mind) -> list[tuple[str, str, str]]:
    found = [s for s in mind.steps_of(PlanLevel.HOUR, MORNING) if s.origin is PlanOrigin.PLANNED]
    return [(hhmm(s.start), hhmm(s.end), s.text) for s in found]


async def planned(make_mind: MakeMind, **replies: list[str]) -> tuple[Mind, ScriptedEngine]:
    """A mind at seven with a day of the model's, at its first step of the hour, which lasts until 07:15."""
    engine = ScriptedEngine({"plan_day": [DAY], "plan_steps": [STEPS] * 3, **replies})
    mind = make_mind(engine)
    step = await plan.next_step(mind, MORNING + HOUR)
    mind.update_step(replace(step, status=PlanStatus.ACTIVE))
    return mind, engine


async def test_an_intention_changes_the_rest_of_the_day(make_mind: MakeMind) -> None:
    mind, engine = await planned(make_mind, replan_day=[CAMPAIGN])
    made = await replan_day(mind, WISH, MORNING + HOUR)
    same_as_golden(engine.requests[-1], "replan_day")
    assert f"Now there is something new: {WISH}" in engine.requests[-1].user
    assert hours(mind) == [
        ("06:00", "07:00", "bake and serve customers"),
        ("07:00", "07:15", "bake and serve customers"),
        ("07:15", "10:00", "write down what the village needs"),
        ("10:00", "17:00", "talk to the people at the green"),
        ("17:00", "22:00", "eat supper and think about it"),
    ]
    assert [step.text for step in made] == [text for _, _, text in hours(mind)[2:]]
    assert {step.source for step in made} == {Source.MODEL}
    strokes = [(hhmm(s.start), hhmm(s.end), s.text) for s in mind.steps_of(PlanLevel.DAY, MORNING)]
    assert strokes == [
        ("06:00", "07:15", "morning at home"),
        ("07:15", "17:00", "run for mayor"),
        ("17:00", "22:00", "an evening at home"),
    ]
    (memory,) = mind.stream.latest(1, (MemoryKind.PLAN,))
    assert memory.text.startswith(f"Mara changed the plan for today because of this: {WISH} From 07:15 on: 07:30 run for mayor;")


async def test_what_is_being_done_goes_on_and_the_next_step_follows_the_new_plan(make_mind: MakeMind) -> None:
    mind, engine = await planned(make_mind, replan_day=[CAMPAIGN])
    await replan_day(mind, WISH, MORNING + HOUR)
    (doing,) = [s for s in mind.plan.steps if s.status is PlanStatus.ACTIVE]
    assert (doing.text, hhmm(doing.end)) == ("knead the dough", "07:15")
    await plan.next_step(mind, doing.end)
    assert "your plan says: write down what the village needs" in engine.requests[-1].user


async def test_appointments_stay(make_mind: MakeMind) -> None:
    mind, engine = await planned(make_mind, replan_day=[CAMPAIGN])
    appointments.keep(mind, Invitation(MORNING + 11 * HOUR, MORNING + 13 * HOUR, "millbrook:cafe"), "going to the party", MORNING)
    await replan_day(mind, WISH, MORNING + HOUR)
    assert "- 17:00 going to the party" in engine.requests[-1].user
    assert [step.text for step in appointments.coming(mind, MORNING)] == ["going to the party"]


async def test_the_plan_stays_where_the_model_repeats_it_or_says_nothing(make_mind: MakeMind) -> None:
    for replies in ([""], ["no", "no"], []):
        mind, _ = await planned(make_mind, replan_day=list(replies))
        before = list(mind.plan.steps)
        assert await replan_day(mind, WISH, MORNING + HOUR) == []
        assert mind.plan.steps == before
    mind = make_mind(StandIn())
    await plan.plan_day(mind, MORNING)
    before = list(mind.plan.steps)
    assert await replan_day(mind, WISH, MORNING + HOUR) == []
    assert mind.plan.steps == before


async def test_without_a_model_the_day_goes_on_by_routine(make_mind: MakeMind) -> None:
    mind = make_mind()
    await plan.plan_day(mind, MORNING)
    before = list(mind.plan.steps)
    assert await replan_day(mind, WISH, MORNING + HOUR) == []
    assert mind.plan.steps == before


async def test_a_model_that_is_weak_at_plans_is_not_asked_for_the_rest_of_a_day(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({"replan_day": [CAMPAIGN]}, weak_at=["plan_day", "plan_steps"])
    mind = make_mind(engine)
    await plan.plan_day(mind, MORNING)
    assert await replan_day(mind, WISH, MORNING + HOUR) == []
    assert "replan_day" not in [request.stage for request in engine.requests]


async def test_nothing_is_asked_in_the_last_hour_of_the_day_or_before_there_is_a_plan(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({"replan_day": [CAMPAIGN] * 2, "plan_day": [DAY]})
    mind = make_mind(engine)
    assert await replan_day(mind, WISH, MORNING) == []
    await plan.plan_day(mind, MORNING)
    assert await replan_day(mind, WISH, MORNING + 15 * HOUR + 30 * MINUTE) == []
    assert [request.stage for request in engine.requests] == ["plan_day", "importance"][: len(engine.requests)]


async def test_what_is_agreed_for_today_plans_the_rest_of_the_day_anew_in_the_next_thought(make_mind: MakeMind) -> None:
    for start, asked in ((MORNING + 12 * HOUR, 1), (MORNING + 36 * HOUR, 0)):
        mind, engine = await planned(make_mind, replan_day=[CAMPAIGN])
        party = Invitation(start, start + 2 * HOUR, "millbrook:cafe:kitchen", "a party")
        assert appointments.keep(mind, party, "going to a party", MORNING + HOUR)
        for _ in range(2):
            await replan_if_agreed(mind, MORNING + HOUR)
        assert [request.stage for request in engine.requests].count("replan_day") == asked
        if asked:
            request = next(request for request in engine.requests if request.stage == "replan_day")
            assert "Now there is something new: Mara has an appointment today at 18:00: going to a party." in request.user


async def test_several_agreements_in_one_talk_plan_the_day_anew_once_when_it_is_over(make_mind: MakeMind) -> None:
    mind, engine = await planned(make_mind, replan_day=[CAMPAIGN, CAMPAIGN])
    for hours in (10, 12):
        found = Invitation(MORNING + hours * HOUR, MORNING + (hours + 1) * HOUR, "millbrook:cafe:kitchen", "a party")
        await appointments.promise(mind, found, ["tobin_hale"], MORNING + HOUR)
        await replan_if_agreed(mind, MORNING + HOUR)
    assert "replan_day" not in [request.stage for request in engine.requests]
    for minutes in (10, 20):
        await replan_if_agreed(mind, MORNING + HOUR + minutes * 60)
    assert [request.stage for request in engine.requests].count("replan_day") == 1
