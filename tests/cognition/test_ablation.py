"""The ablations of Generative Agents, section 6: each switch takes away what it says, and nothing else."""

from __future__ import annotations

from collections.abc import Callable

from npc_server.cognition import perceive, plan, react, reflect
from npc_server.llm.scripted import ScriptedEngine
from npc_server.mind import replies
from npc_server.mind.mind import Mind
from npc_server.records import MemoryKind, MemorySource, Perception, PerceptionKind, PlanLevel, Source
from tests.minds import MORNING

MakeMind = Callable[..., Mind]
STOVE = "millbrook:mara_house:kitchen:stove"


def fire(mind: Mind) -> Perception:
    mind.world.set_state(STOVE, "burning")
    return Perception("mara_voss", PerceptionKind.OBJECT, STOVE, "is burning", STOVE, 2.0, MORNING)


async def test_without_observation_nothing_seen_is_kept_and_one_still_reacts_to_it(make_mind: MakeMind) -> None:
    mind = make_mind(observation=False)
    noticed = await perceive.perceive(mind, [fire(mind)], MORNING)
    assert (len(mind.stream), mind.draft.memories, mind.reflecting.importance_since) == (0, [], 0)
    assert mind.knowledge.state(STOVE) == "burning"
    found = await react.react(mind, noticed, "eating", STOVE, MORNING, lambda who: True)
    assert found is not None
    assert found.kind == replies.CHANGE


async def test_without_observation_what_one_is_told_is_still_kept(make_mind: MakeMind) -> None:
    mind = make_mind(observation=False)
    told = await mind.remember(["It rains"], kind=MemoryKind.CONVERSATION, at=MORNING, importance=[3], source=MemorySource.TOLD)
    assert mind.stream.latest(1) == told


async def test_with_observation_what_is_seen_is_kept(make_mind: MakeMind) -> None:
    mind = make_mind()
    noticed = await perceive.perceive(mind, [fire(mind)], MORNING)
    assert noticed
    assert mind.stream.latest(1) == noticed


async def test_without_planning_the_model_is_asked_for_no_plan_and_the_routine_is_lived(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({})
    mind = make_mind(engine, planning=False)
    step = await plan.next_step(mind, MORNING)
    await plan.replan_hour(mind, step, "the door is locked", MORNING)
    assert [request.stage for request in engine.requests if request.stage.startswith(("plan", "replan"))] == []
    assert step.source is Source.INSTINCT
    assert mind.steps_of(PlanLevel.HOUR, MORNING)
    assert mind.stream.latest(10, (MemoryKind.PLAN,)) == []


async def test_with_planning_the_model_is_asked(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({})
    mind = make_mind(engine)
    await plan.next_step(mind, MORNING)
    assert "plan_day" in {request.stage for request in engine.requests}
    assert mind.stream.latest(10, (MemoryKind.PLAN,))


async def test_without_reflection_none_is_due_however_much_happened(make_mind: MakeMind) -> None:
    for on in (True, False):
        mind = make_mind(reflection=on)
        mind.reflecting.importance_since = 10_000
        assert reflect.is_due(mind) is on
