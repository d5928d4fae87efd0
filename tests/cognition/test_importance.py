"""How much a memory matters: its kind where that tells all, the model for the rest."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from npc_eval.topics import topic_of
from npc_server.cognition.importance import rate
from npc_server.llm.scripted import ScriptedEngine
from npc_server.mind.mind import Mind
from npc_server.records import CallOutcome, MemoryTopic
from tests.minds import MORNING, same_as_golden

MakeMind = Callable[..., Mind]
SMALL_TALK = 'Tobin Hale said: "The well rope wants replacing before autumn."'
DEATH = 'Ines Calder said: "Old Ambrose died last night."'


async def test_the_model_is_asked_once_and_only_for_what_is_not_sure(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({"importance": ["9\n6"]})
    texts = ["Tobin Hale is walking by", DEATH, "The lamp is on", "Tobin Hale is limping home"]
    assert await rate(make_mind(engine), texts, MORNING, topics=[topic_of(text) for text in texts]) == [2, 9, 1, 6]
    assert "1. Ines Calder said" in engine.requests[0].user
    assert "walking by" not in engine.requests[0].user


@pytest.mark.parametrize("near", [True, False])
async def test_far_from_players_a_rating_rests_on_the_short_identity(make_mind: MakeMind, near: bool) -> None:
    engine = ScriptedEngine({"importance": ["6"]})
    mind = make_mind(engine)
    mind.budget.near = near
    await rate(mind, ["Tobin Hale is limping home"], MORNING)
    assert ("worries about the rent" in engine.requests[0].system) is near
    assert "bakes the bread" in engine.requests[0].system


async def test_without_the_rules_everything_but_the_mundane_is_asked_at_once(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({"importance": ["3\n4"]})
    mind = make_mind(engine, rule_importance=False)
    assert await rate(mind, ["The stove is off", "Tobin Hale is walking by", SMALL_TALK], MORNING) == [1, 3, 4]


async def test_the_baseline_asks_for_each_event_alone_and_never_for_what_is_idle(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({"ga_importance": ["3", "4"]})
    mind = make_mind(engine, profile="generative-agents")
    assert await rate(mind, ["The stove is off", "Tobin Hale is walking by", SMALL_TALK], MORNING) == [1, 3, 4]
    assert [request.stage for request in engine.requests] == ["ga_importance"] * 2
    same_as_golden(engine.requests[0], "ga_importance")


async def test_instinct_rates_by_its_own_words_when_there_is_no_model(make_mind: MakeMind) -> None:
    mind = make_mind()
    topics = [MemoryTopic.OTHER, MemoryTopic.SAID, MemoryTopic.SAID]
    assert await rate(mind, ["The stove is off", SMALL_TALK, DEATH], MORNING, topics=topics) == [1, 3, 10]
    assert [call.outcome for call in mind.draft.calls] == [CallOutcome.INSTINCT]
