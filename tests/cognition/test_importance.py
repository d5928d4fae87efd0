"""How much a memory matters: rules where they are sure, the model for the rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from npc_server.cognition.importance import rate
from npc_server.instinct import importance_rules
from npc_server.llm.scripted import ScriptedEngine
from npc_server.memory.topics import topic_of
from npc_server.mind.mind import Mind
from npc_server.mind.places import Everyday, everyday_of
from npc_server.records import CallOutcome, MemoryTopic
from npc_server.world.tree import World
from tests.minds import MORNING, same_as_golden

MakeMind = Callable[..., Mind]
SMALL_TALK = 'Tobin Hale said: "The well rope wants replacing before autumn."'
PASSING = 'Tobin Hale said: "Good morning to you."'
DEATH = 'Ines Calder said: "Old Ambrose died last night."'


def by_rules(text: str, town: Everyday = importance_rules.NO_TOWN) -> tuple[int, bool]:
    return importance_rules.by_rules(text, town, topic_of(text))


def by_hand(name: str = "importance") -> list[tuple[int, str]]:
    lines = (Path(__file__).parent / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.split(" | ", 1) for line in lines if line and not line.startswith("#")]
    return [(int(value), text) for value, text in rows]


def rank_correlation(a: Sequence[int], b: Sequence[int]) -> float:
    """Spearman's, with the mean rank for equals."""

    def ranks(values: Sequence[int]) -> list[float]:
        return [float(np.mean([i for i, v in enumerate(sorted(values)) if v == value])) for value in values]

    return float(np.corrcoef(ranks(a), ranks(b))[0, 1])


@pytest.fixture
def town(world: World) -> Everyday:
    return everyday_of(world)


def test_rules_rate_as_a_hand_does(town: Everyday) -> None:
    rows = by_hand()
    assert len(rows) >= 60
    rated = [by_rules(text, town) for _, text in rows]
    assert rank_correlation([value for value, _ in rows], [value for value, _ in rated]) > 0.85
    assert sum(sure for _, sure in rated) > len(rows) / 4


@pytest.mark.parametrize("name", ["importance", "importance_unseen"])
def test_what_rules_are_sure_of_they_rate_as_a_hand_does_and_it_never_changes_lives(town: Everyday, name: str) -> None:
    """The second list was written after the rules, and no rule was mended on it."""
    sure = [(hand, value, text) for hand, text in by_hand(name) for value, is_sure in [by_rules(text, town)] if is_sure]
    assert len(sure) >= 5
    for hand, value, text in sure:
        assert hand < 6, text
        assert abs(hand - value) <= 1, text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The lamp is on", (1, True)),
        ("Tobin Hale is walking by", (2, True)),
        ("Tobin Hale is bleeding", (8, False)),
        ("Tobin Hale is limping home", (3, False)),
        (SMALL_TALK, (2, False)),
        ('Tobin Hale said: "Good morning to you."', (1, True)),
        ('Tobin Hale said: "Sit down and warm your hands."', (2, True)),
        ('Tobin Hale said: "You will never see them again."', (2, False)),
        ('Tobin Hale said: "I saw Ines by the weir with a spade."', (4, False)),
        ('Tobin Hale said: "Come by at six, or 18:30."', (5, False)),
        ('Tobin Hale said: ""', (1, True)),
        ("The airlock is sealed", (3, False)),
        ("", (3, False)),
    ],
)
def test_what_rules_make_of_a_memory(text: str, expected: tuple[int, bool]) -> None:
    assert by_rules(text) == expected


def test_what_belongs_to_every_day_in_a_town_is_known(town: Everyday) -> None:
    whittling, covered = "Tobin Hale is whittling a spoon", "The workbench in the work floor of Hale's workshop is covered in shavings"
    assert by_rules(whittling, town) == (3, False)
    assert by_rules(whittling, Everyday(doings=frozenset({"whittl"}))) == (2, True)
    assert by_rules(covered) == (3, False)
    assert by_rules(covered, town) == (2, True)
    assert by_rules('Tobin Hale said: "The oven door is old, too."', town) == (2, True), "ovens are known, doors need not be"
    assert "burning" not in town.states


@given(st.text(max_size=200))
@settings(max_examples=100, deadline=None)
def test_rules_rate_whatever_is_said(text: str) -> None:
    for line in (text, f'Mara Voss said: "{text}"', f"Mara is {text}", f"The stove is {text}"):
        value, _ = by_rules(line)
        assert 1 <= value <= 10


async def test_the_model_is_asked_once_and_only_for_what_rules_are_not_sure_of(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({"importance": ["9\n6"]})
    texts = ["Tobin Hale is walking by", DEATH, PASSING, "Tobin Hale is limping home"]
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
    assert await rate(mind, ["The stove is off", SMALL_TALK, DEATH], MORNING, topics=topics) == [1, 5, 10]
    assert [call.outcome for call in mind.draft.calls] == [CallOutcome.INSTINCT]
