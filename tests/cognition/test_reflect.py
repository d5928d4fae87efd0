from __future__ import annotations

from collections.abc import Callable

import pytest

from npc_server.cognition import reflect
from npc_server.llm.scripted import ScriptedEngine
from npc_server.mind.mind import Mind
from npc_server.records import CallOutcome, Memory, MemoryKind, MemorySource, MemoryTopic
from tests.minds import MORNING, same_as_golden

MakeMind = Callable[..., Mind]
QUESTIONS = "What does Tobin need?\nWhy is Ines sad?\nWhat does Mara want?"


async def saw(mind: Mind, *texts: str, importance: int = 5) -> list[Memory]:
    made = []
    for i, text in enumerate(texts):
        made += await mind.remember(
            [text],
            kind=MemoryKind.OBSERVATION,
            at=MORNING - 3600 + i,
            importance=[importance],
            source=MemorySource.SEEN,
            triples=[(" ".join(text.split()[:2]), "did", text)],
        )
    return made


THREE = ("Tobin Hale ate alone again", "Ines Calder is crying in the shop", "Tobin Hale mends what nobody asked for")


async def test_a_reflection_is_due_when_importance_adds_up_to_the_threshold(make_mind: MakeMind) -> None:
    mind = make_mind(reflection_threshold=15)
    await saw(mind, *THREE[:2])
    assert not reflect.is_due(mind)
    await saw(mind, THREE[2])
    assert reflect.is_due(mind)
    await reflect.reflect(mind, MORNING)
    assert not reflect.is_due(mind)
    assert mind.reflecting.importance_since == 0


async def test_it_is_never_due_where_reflection_is_switched_off(make_mind: MakeMind) -> None:
    mind = make_mind(reflection_threshold=1, reflection=False)
    await saw(mind, *THREE)
    assert not reflect.is_due(mind)


async def test_by_rules_an_insight_matters_as_much_as_what_it_rests_on(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({"reflect_questions": [QUESTIONS], "reflect_insights": ["Tobin Hale is lonely | 1, 3"]})
    mind = make_mind(engine)
    seen = await saw(mind, *THREE)
    mind.set_importance({memory.id: 8 for memory in seen})
    (made,) = await reflect.reflect(mind, MORNING)
    assert made.importance == 8
    assert "importance" not in [request.stage for request in engine.requests]


async def test_three_questions_then_insights_with_their_evidence_by_the_golden_prompts(make_mind: MakeMind) -> None:
    insights = "Tobin Hale is lonely | 1, 3\nInes Calder hides a sorrow | 2"
    engine = ScriptedEngine({"reflect_questions": [QUESTIONS], "reflect_insights": [insights], "importance": ["7\n6"]})
    mind = make_mind(engine, rule_importance=False)
    seen = await saw(mind, *THREE)
    made = await reflect.reflect(mind, MORNING)
    asked = {request.stage: request for request in engine.requests}
    same_as_golden(asked["reflect_questions"], "reflect_questions")
    same_as_golden(asked["reflect_insights"], "reflect_insights")
    numbered = [line for line in asked["reflect_insights"].user.split("\n") if line[:1].isdigit()]
    shown = [next(memory for memory in seen if memory.text in line).id for line in numbered]
    assert [(m.text, m.evidence, m.importance) for m in made] == [
        ("Tobin Hale is lonely", (shown[0], shown[2]), 7),
        ("Ines Calder hides a sorrow", (shown[1],), 6),
    ]
    assert {m.kind for m in made} == {MemoryKind.REFLECTION}
    assert {m.source for m in made} == {MemorySource.THOUGHT}
    assert mind.draft.memories[-2:] == made


@pytest.mark.parametrize(
    "wrong", ["Tobin Hale is lonely | 1, 9", "Tobin Hale is lonely", "Tobin Hale is lonely | ", "this is blank", "Lonely | 0"]
)
async def test_nothing_is_stored_from_a_reply_that_cites_what_was_not_shown(make_mind: MakeMind, wrong: str) -> None:
    engine = ScriptedEngine({"reflect_questions": [QUESTIONS], "reflect_insights": [wrong, wrong]})
    mind = make_mind(engine)
    await saw(mind, *THREE)
    assert await reflect.reflect(mind, MORNING) == []
    assert not mind.stream.latest(10, (MemoryKind.REFLECTION,))
    outcomes = [call.outcome for call in mind.draft.calls if call.stage == "reflect_insights"]
    assert outcomes == [CallOutcome.RETRIED, CallOutcome.INSTINCT]


async def test_an_insight_is_not_drawn_twice(make_mind: MakeMind) -> None:
    reply = "Tobin Hale is lonely | 1\nTobin Hale is LONELY | 2"
    script = {"reflect_questions": [QUESTIONS] * 2, "reflect_insights": [reply] * 2, "importance": ["7"]}
    mind = make_mind(ScriptedEngine(script))
    await saw(mind, *THREE)
    assert [m.text for m in await reflect.reflect(mind, MORNING)] == ["Tobin Hale is lonely"]
    assert await reflect.reflect(mind, MORNING) == []


async def test_insights_rest_on_insights_too(make_mind: MakeMind) -> None:
    mind = make_mind(
        ScriptedEngine(
            lambda request: {
                "reflect_questions": QUESTIONS,
                "reflect_insights": f"Conclusion {len(request.user)} | 1",
                "importance": "9",
            }[request.stage]
        )
    )
    await saw(mind, *THREE, importance=1)
    (first,) = await reflect.reflect(mind, MORNING)
    (second,) = await reflect.reflect(mind, MORNING + 60)
    assert second.evidence == (first.id,)


@pytest.mark.parametrize("profile", ["affordable", "generative-agents"])
async def test_without_a_model_nobody_reflects_and_what_came_in_counts_from_zero_again(make_mind: MakeMind, profile: str) -> None:
    mind = make_mind(profile=profile, reflection_threshold=15)
    await saw(mind, *THREE)
    assert reflect.is_due(mind)
    assert await reflect.reflect(mind, MORNING) == []
    assert not mind.stream.latest(10, (MemoryKind.REFLECTION,))
    assert not reflect.is_due(mind)


@pytest.mark.parametrize("fuller", [True, False])
async def test_questions_are_asked_about_what_is_no_everyday_sight(make_mind: MakeMind, fuller: bool) -> None:
    engine = ScriptedEngine({"reflect_questions": ["this is blank"] * 2})
    mind = make_mind(engine, fuller_calls=fuller)
    for text, importance in (("Tobin Hale is walking by", 2), ("Tobin Hale is crying", 6)):
        await mind.remember([text], kind=MemoryKind.OBSERVATION, at=MORNING, importance=[importance], source=MemorySource.SEEN)
    await reflect.reflect(mind, MORNING)
    asked = engine.requests[0].user
    assert "crying" in asked
    assert ("walking by" in asked) is not fuller


async def test_no_questions_are_asked_about_who_was_seen_talking_with_whom(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({"reflect_questions": ["this is blank"] * 2})
    mind = make_mind(engine)
    for text, topic in (
        ("Tobin Hale is talking with Ines Calder", MemoryTopic.SIGHT),
        ("Tobin Hale is mending a chair", MemoryTopic.OTHER),
    ):
        await mind.remember([text], kind=MemoryKind.OBSERVATION, at=MORNING, importance=[3], source=MemorySource.SEEN, topics=[topic])
    await reflect.reflect(mind, MORNING)
    assert "talking with" not in engine.requests[0].user
    assert "mending a chair" in engine.requests[0].user
