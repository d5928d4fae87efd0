"""The baseline plans a day as the reference does: a question for waking, one for the strokes, one for each hour, one for each block."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from npc_eval.stand_in import StandIn
from npc_server.clock import DAY, HOUR, MINUTE, hhmm
from npc_server.cognition import plan, revise_identity
from npc_server.llm.engine import Request
from npc_server.llm.scripted import ScriptedEngine
from npc_server.mind.mind import Mind
from npc_server.personas import routine
from npc_server.records import CallOutcome, MemoryKind, MemorySource, PlanLevel, Source
from tests.minds import MORNING, make_mind, persona, same_as_golden, world

__all__ = ["make_mind", "persona", "world"]

MakeMind = Callable[..., Mind]
STROKES = "06:00 | get up and wash\n06:30 | eat breakfast\n07:00 | bake and open the café\n12:00 | serve lunch\n18:00 | walk by the pond"
TASKS = "\n".join(["15 | knead the dough", "15 | shape the loaves"] * 2)


def planner(request: Request) -> str:
    hour = request.user.partition(" do from ")[2][:2]
    replies = {
        "ga_wake_up": "7",
        "ga_first_plan": STROKES,
        "ga_daily_plan": STROKES,
        "ga_hour": f"bake loaf {hour}" if hour < "12" else "serve guests",
        "ga_steps": TASKS,
        "ga_plan_note": "Order flour before ten.",
        "ga_thought_note": "Yesterday was long and good.",
        "ga_currently": "Mara is short of flour.",
    }
    return replies[request.stage]


async def test_the_hours_are_asked_for_one_by_one_with_what_is_planned_so_far(make_mind: MakeMind) -> None:
    engine = ScriptedEngine(planner)
    mind = make_mind(engine, profile="generative-agents")
    await plan.plan_day(mind, MORNING)
    asked = Counter(request.stage for request in engine.requests)
    assert asked == {"ga_wake_up": 1, "ga_first_plan": 1, "ga_hour": 15}
    last = next(request for request in reversed(engine.requests) if request.stage == "ga_hour")
    same_as_golden(last, "ga_hour")
    assert "- 11:00 bake loaf 11" in last.user
    hours = [(hhmm(s.start), hhmm(s.end), s.text) for s in mind.steps_of(PlanLevel.HOUR, MORNING)]
    assert hours[:2] == [("06:00", "07:00", routine.ASLEEP), ("07:00", "08:00", "bake loaf 07")]
    assert ("12:00", "18:00", "serve guests") in hours, "equal hours of one stroke are one block"
    assert [s.text for s in mind.steps_of(PlanLevel.DAY, MORNING)][-1] == "walk by the pond"
    assert mind.stream.latest(1, (MemoryKind.PLAN,))[0].importance == 5


async def test_a_block_is_decomposed_in_one_question_that_shows_the_blocks_around_it(make_mind: MakeMind) -> None:
    engine = ScriptedEngine(planner)
    mind = make_mind(engine, profile="generative-agents")
    step = await plan.next_step(mind, MORNING + HOUR)
    request = engine.requests[-1]
    same_as_golden(request, "ga_steps")
    assert (step.text, step.address, step.emoji, step.source) == ("knead the dough", "", "", Source.MODEL)
    assert step.end - step.start == 15 * MINUTE


async def test_who_one_is_is_thought_over_in_three_questions_on_every_morning_but_the_first(make_mind: MakeMind) -> None:
    engine = ScriptedEngine(planner)
    mind = make_mind(engine, profile="generative-agents")
    await revise_identity.revise(mind, MORNING)
    assert engine.requests == []
    await plan.plan_day(mind, MORNING)
    await mind.remember(["The flour is gone"], kind=MemoryKind.OBSERVATION, at=MORNING, importance=[6], source=MemorySource.SEEN)
    engine.asked.clear()
    await revise_identity.revise(mind, MORNING + DAY)
    assert [request.stage for request in engine.requests] == ["ga_plan_note", "ga_thought_note", "ga_currently"]
    for request in engine.requests:
        same_as_golden(request, request.stage)
    assert mind.identity.currently == "Mara is short of flour."
    engine.asked.clear()
    await plan.plan_day(mind, MORNING + DAY)
    assert [request.stage for request in engine.requests][:2] == ["ga_wake_up", "ga_daily_plan"]
    same_as_golden(engine.requests[1], "ga_daily_plan")
    await revise_identity.revise(mind, MORNING + DAY + HOUR)
    assert "ga_plan_note" not in [request.stage for request in engine.requests], "not again after a reflection"


async def test_what_instinct_suggests_is_a_whole_reply_to_every_question(make_mind: MakeMind) -> None:
    mind = make_mind(StandIn(), profile="generative-agents")
    for day in (0, DAY):
        await revise_identity.revise(mind, MORNING + day)
        for minute in range(0, 16 * 60, 15):
            await plan.next_step(mind, MORNING + day + minute * MINUTE)
    failed = mind.steps_of(PlanLevel.STEP, MORNING)[5]
    await plan.replan_hour(mind, failed, "the door is locked", failed.start)
    assert {call.outcome for call in mind.draft.calls} == {CallOutcome.USED}
    assert Counter(call.stage for call in mind.draft.calls)["ga_hour"] == 32
    assert {step.text for step in mind.plan.steps if step.level is PlanLevel.STEP} >= {
        "bake bread",
        "serve customers",
        "walk around the pond",
    }


async def test_without_a_model_or_when_it_answers_nonsense_the_routine_is_the_plan(make_mind: MakeMind) -> None:
    for engine in (None, ScriptedEngine(lambda request: "")):
        mind = make_mind(engine, profile="generative-agents")
        step = await plan.next_step(mind, MORNING)
        assert (step.text, step.source) == ("shower", Source.INSTINCT)


async def test_a_waking_hour_far_from_ones_own_is_not_taken(make_mind: MakeMind) -> None:
    mind = make_mind(
        ScriptedEngine(lambda request: "23" if request.stage == "ga_wake_up" else planner(request)), profile="generative-agents"
    )
    await plan.plan_day(mind, MORNING)
    assert [call.outcome for call in mind.draft.calls][:2] == [CallOutcome.RETRIED, CallOutcome.INSTINCT]
    assert mind.steps_of(PlanLevel.HOUR, MORNING)[0].text == "bake loaf 06"
