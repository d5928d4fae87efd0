from __future__ import annotations

from collections.abc import Callable

from npc_server.clock import HOUR, hhmm, parse_datetime
from npc_server.cognition import instinct, plan
from npc_server.cognition.mind import Mind
from npc_server.llm.scripted import ScriptedEngine
from npc_server.records import CallOutcome, MemoryKind, PlanLevel, PlanStatus, Source
from tests.cognition.conftest import MORNING, same_as_golden

STROKES = "06:00 | get up and wash\n06:30 | eat breakfast\n07:00 | bake and open the café\n12:00 | serve lunch\n18:00 | walk by the pond"
HOURS = "\n".join(f"{hour:02}:00 | {'bake' if hour < 12 else 'serve guests'}" for hour in range(6, 22))
STEPS = "15 | knead the dough\n15 | shape the loaves\n15 | heat the oven\n15 | bake the loaves"

MakeMind = Callable[..., Mind]


async def test_a_day_is_planned_from_strokes_to_hours_to_steps_with_the_golden_prompts(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({"importance": ["4", "5"], "plan_day": [STROKES], "plan_hours": [HOURS], "plan_steps": [STEPS]})
    mind = make_mind(engine)
    step = await plan.next_step(mind, MORNING)
    asked = {request.stage: request for request in engine.requests}
    for stage in ("plan_day", "plan_hours", "plan_steps"):
        same_as_golden(asked[stage], stage)
    assert [hhmm(s.start) for s in mind.steps_of(PlanLevel.DAY, MORNING)] == ["06:00", "06:30", "07:00", "12:00", "18:00"]
    assert len(mind.steps_of(PlanLevel.HOUR, MORNING)) == 16
    assert step.text == "knead the dough"
    assert step.source is Source.MODEL
    assert [(hhmm(s.start), hhmm(s.end)) for s in mind.steps_of(PlanLevel.STEP, MORNING)] == [
        ("06:00", "06:15"),
        ("06:15", "06:30"),
        ("06:30", "06:45"),
        ("06:45", "07:00"),
    ]


async def test_the_plan_is_a_memory_too(make_mind: MakeMind) -> None:
    mind = make_mind()
    await plan.plan_day(mind, MORNING)
    (memory,) = mind.stream.latest(5, (MemoryKind.PLAN,))
    assert memory.text.startswith("Mara's plan for Monday 4 May: 06:00 shower")


async def test_steps_are_decided_just_in_time_and_not_for_the_whole_day(make_mind: MakeMind) -> None:
    mind = make_mind()
    await plan.next_step(mind, MORNING)
    assert max(s.end for s in mind.steps_of(PlanLevel.STEP, MORNING)) <= MORNING + HOUR


async def test_without_a_model_the_day_follows_the_routine(make_mind: MakeMind) -> None:
    mind = make_mind()
    found = []
    for time in ("06:05", "06:20", "06:40", "07:05", "07:20", "07:31", "17:40", "19:00", "23:00"):
        step = await plan.next_step(mind, parse_datetime(f"2026-05-04 {time}"))
        found.append((time, step.text, step.address.removeprefix("millbrook:")))
    assert found == [
        ("06:05", "shower", "mara_house:bathroom:shower"),
        ("06:20", "resting at home", "mara_house"),
        ("06:40", "eat breakfast", "mara_house:kitchen:table"),
        ("07:05", "bake bread", "cafe:kitchen:oven"),
        ("07:20", "serve customers", "cafe:dining_room:counter"),
        ("07:31", "bake bread", "cafe:kitchen:oven"),
        ("17:40", "eat supper", "mara_house:kitchen:table"),
        ("19:00", "walk around the pond", "green:pond_side:pond"),
        ("23:00", "sleeping", "mara_house:bedroom:bed"),
    ]


async def test_sleep_lasts_until_the_next_waking_even_past_midnight(make_mind: MakeMind) -> None:
    mind = make_mind()
    for moment in ("2026-05-04 23:30", "2026-05-05 03:00"):
        step = await plan.next_step(mind, parse_datetime(moment))
        assert (step.text, step.end) == (instinct.ASLEEP, parse_datetime("2026-05-05 06:00"))


async def test_a_plan_that_goes_back_in_time_is_asked_again_and_then_left_to_instinct(make_mind: MakeMind) -> None:
    wrong = "06:00 | wash\n09:00 | bake\n08:00 | serve\n12:00 | eat\n18:00 | walk"
    engine = ScriptedEngine({"importance": ["4", "5"], "plan_day": [wrong, wrong], "plan_hours": [HOURS]})
    mind = make_mind(engine)
    await plan.plan_day(mind, MORNING)
    calls = [call for call in mind.draft.calls if call.stage == "plan_day"]
    assert [call.outcome for call in calls] == [CallOutcome.RETRIED, CallOutcome.INSTINCT]
    assert "goes back in time" in calls[0].reason
    assert all(s.source is Source.INSTINCT for s in mind.steps_of(PlanLevel.DAY, MORNING))


async def test_mistake_4_a_failed_parse_stores_nothing(make_mind: MakeMind) -> None:
    """The reference stores "this is blank" when a reply does not parse."""
    engine = ScriptedEngine(lambda request: "this is blank")
    mind = make_mind(engine)
    await plan.next_step(mind, MORNING)
    assert not [memory for memory in mind.stream.latest(100) if "blank" in memory.text]
    assert not [step for step in mind.plan if "blank" in step.text]


async def test_after_a_failure_the_rest_of_the_hour_is_planned_anew(make_mind: MakeMind) -> None:
    replies = {"importance": ["4", "5"], "plan_day": [STROKES], "plan_hours": [HOURS], "plan_steps": [STEPS]}
    engine = ScriptedEngine({**replies, "replan": ["15 | sweep the floor\n15 | wash the dishes\n15 | draw water"]})
    mind = make_mind(engine)
    first = await plan.next_step(mind, MORNING)
    at = MORNING + 15 * 60
    await plan.replan_hour(mind, first, "the oven is broken", at)
    same_as_golden(engine.requests[-1], "replan")
    assert (await plan.next_step(mind, at)).text == "sweep the floor"
    dropped = [s.text for s in mind.plan if s.status is PlanStatus.DROPPED]
    assert "bake the loaves" in dropped


async def test_mistake_10_a_new_day_is_planned_anew(make_mind: MakeMind) -> None:
    """In the reference the old day's requirements keep feeding the new day's plan."""
    mind = make_mind()
    await plan.plan_day(mind, MORNING)
    tomorrow = parse_datetime("2026-05-05 06:00")
    assert not plan.has_plan(mind, tomorrow)
    await plan.next_step(mind, tomorrow)
    assert all(mind.day_of(s.start) == mind.day_of(tomorrow) for s in mind.steps_of(PlanLevel.HOUR, tomorrow))
