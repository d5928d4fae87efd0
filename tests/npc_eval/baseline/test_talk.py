"""The baseline's conversations: the calls of the reference, counted, and what comes of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest

from npc_server.clock import HOUR, MINUTE
from npc_server.cognition import converse, remember_talk
from npc_server.llm.engine import Request
from npc_server.llm.scripted import ScriptedEngine
from npc_server.mind.mind import Mind
from npc_server.records import Line, MemoryKind, MemorySource, PlanLevel, PlanStatus, PlanStep, Source, Talk
from tests.minds import MORNING, same_as_golden

MakeMind = Callable[..., Mind]
BASELINE = {"profile": "generative-agents"}
TALK = Talk(
    "t",
    ("tobin_hale", "mara_voss"),
    "millbrook:lane:square",
    MORNING,
    (Line("tobin_hale", "The mill is sold.", MORNING), Line("mara_voss", "To whom?", MORNING + 15)),
)
REPLIES = {
    "ga_relationship": "They are neighbours and like each other.",
    "ga_say": "say: Who told you?\nthen: go on",
    "ga_talk_summary": "Tobin and Mara talked about the mill.",
    "ga_talk_plan": "Mara has to ask who bought the mill.",
    "ga_talk_memo": "Tobin heard that the mill is sold.",
    "ga_triple": "Tobin Hale | heard of | the mill",
    "ga_reschedule": "10 | knead dough\n30 | bake bread",
    "talk_relation": "relation: neighbour\nfeeling: She likes him.\nbetween: He spoke of the mill.\ncloseness: 5",
}


def answering(**other: str) -> ScriptedEngine:
    def answer(request: Request) -> str:
        return {**REPLIES, **other}.get(request.stage, "5")

    return ScriptedEngine(answer)


def counted(engine: ScriptedEngine) -> Counter[str]:
    return Counter(request.stage for request in engine.requests)


async def remember(mind: Mind, text: str, at: int = MORNING - HOUR) -> None:
    await mind.remember([text], kind=MemoryKind.OBSERVATION, at=at, importance=[4], source=MemorySource.SEEN)


async def test_a_turn_is_a_relationship_summary_and_a_line(make_mind: MakeMind) -> None:
    engine = answering()
    mind = make_mind(engine, **BASELINE)
    await remember(mind, "Tobin Hale repaired the pump")
    said = await converse.say(mind, TALK, MORNING, frozenset())
    assert (said.text, said.leaves, said.source) == ("Who told you?", False, Source.MODEL)
    assert [request.stage for request in engine.requests] == ["ga_relationship", "ga_say"]
    for request in engine.requests:
        same_as_golden(request, request.stage)
    assert "They are neighbours and like each other." in engine.requests[1].user


async def test_a_turn_with_social_memory_alone_needs_no_summary(make_mind: MakeMind) -> None:
    engine = answering()
    await converse.say(make_mind(engine, **BASELINE, social_memory=True), TALK, MORNING, frozenset())
    assert [request.stage for request in engine.requests] == ["ga_say"]
    assert "Tobin Hale: neighbour, closeness 5 of 10." in engine.requests[0].user


async def test_what_follows_a_talk_is_a_thought_and_a_memo_each_weighed_and_taken_apart(make_mind: MakeMind) -> None:
    engine = answering()
    mind = make_mind(engine, **BASELINE)
    made = await remember_talk.remember(mind, TALK, MORNING)
    assert [(m.text, m.kind, m.source) for m in made] == [
        ("Tobin and Mara talked about the mill.", MemoryKind.CONVERSATION, MemorySource.SEEN),
        ("Mara has to ask who bought the mill.", MemoryKind.REFLECTION, MemorySource.THOUGHT),
        ("Tobin heard that the mill is sold.", MemoryKind.CONVERSATION, MemorySource.TOLD),
    ]
    assert (made[1].evidence, made[1].subject, made[2].source_person) == ((made[0].id,), "Tobin Hale", "tobin_hale")
    assert [memory.importance for memory in made] == [5, 5, 5]
    assert counted(engine) == {"ga_talk_summary": 1, "ga_talk_plan": 1, "ga_talk_memo": 1, "ga_triple": 2, "ga_importance": 3}
    for stage in ("ga_talk_summary", "ga_talk_plan", "ga_talk_memo", "ga_triple"):
        same_as_golden(next(request for request in engine.requests if request.stage == stage), stage)
    assert not mind.relationships.social


async def test_the_second_takes_over_the_summary_of_the_first(make_mind: MakeMind) -> None:
    engine = answering()
    made = await remember_talk.remember(make_mind(engine, **BASELINE), TALK, MORNING, "Tobin and Mara talked about the mill.")
    assert made[0].text == "Tobin and Mara talked about the mill."
    assert "ga_talk_summary" not in counted(engine)


async def test_with_social_memory_alone_a_talk_also_revises_the_relationship(make_mind: MakeMind) -> None:
    mind = make_mind(answering(), **BASELINE, social_memory=True)
    await remember_talk.remember(mind, TALK, MORNING)
    assert mind.relationships.social["tobin_hale"].between == "He spoke of the mill."


def planned(mind: Mind) -> list[PlanStep]:
    (hour,) = mind.add_steps([PlanStep("mara_voss", 0, PlanLevel.HOUR, 0, MORNING, MORNING + HOUR, "bake", "", source=Source.MODEL)])
    rows = ((0, 20, "sift flour"), (20, 40, "knead"), (40, 60, "bake"))
    steps = [PlanStep("mara_voss", 0, PlanLevel.STEP, hour.id, MORNING + a * MINUTE, MORNING + b * MINUTE, what) for a, b, what in rows]
    return mind.add_steps([replace(steps[0], status=PlanStatus.ACTIVE), *steps[1:]])


async def test_the_rest_of_the_hour_is_planned_anew_after_a_talk(make_mind: MakeMind) -> None:
    engine = answering()
    mind = make_mind(engine, **BASELINE)
    planned(mind)
    await remember_talk.remember(mind, TALK, MORNING)
    steps = [step for step in mind.steps_of(PlanLevel.STEP, MORNING) if step.status is PlanStatus.AHEAD]
    assert [(step.start - MORNING, step.end - MORNING, step.text) for step in steps] == [
        (30, 30 + 10 * MINUTE, "knead dough"),
        (30 + 10 * MINUTE, HOUR, "bake bread"),
    ]
    same_as_golden(next(request for request in engine.requests if request.stage == "ga_reschedule"), "ga_reschedule")


@pytest.mark.parametrize("reply", ["", "soon | bake", "7000 | bake", "10 | "])
async def test_a_schedule_that_does_not_parse_leaves_the_plan_as_it_was(make_mind: MakeMind, reply: str) -> None:
    mind = make_mind(answering(ga_reschedule=reply), **BASELINE)
    before = planned(mind)
    await remember_talk.remember(mind, TALK, MORNING)
    assert mind.steps_of(PlanLevel.STEP, MORNING) == before


async def test_nonsense_is_not_stored(make_mind: MakeMind) -> None:
    mind = make_mind(ScriptedEngine(lambda request: "|||"), **BASELINE)
    await converse.say(mind, TALK, MORNING, frozenset())
    made = await remember_talk.remember(mind, TALK, MORNING)
    assert made
    assert not [memory for memory in made if "|" in memory.text + memory.subject + memory.object]
    assert mind.tally.model == 0
