from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from npc_server.clock import DAY, parse_datetime
from npc_server.cognition import instinct
from npc_server.personas.schema import Persona
from tests.cognition.conftest import MORNING


def test_the_routine_covers_the_waking_day_without_gaps(persona: Persona) -> None:
    found = instinct.routine(persona, MORNING - MORNING % DAY)
    assert found[0].start == MORNING
    assert all(a.end == b.start for a, b in zip(found, found[1:], strict=False))
    assert found[-1].end == parse_datetime("2026-05-04 22:00")


def test_broad_strokes_are_few_and_cover_the_same_day(persona: Persona) -> None:
    day = MORNING - MORNING % DAY
    found = instinct.strokes(persona, day, 3)
    assert len(found) == 3
    assert (found[0].start, found[-1].end) == (MORNING, parse_datetime("2026-05-04 22:00"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [("The stove is off", 1), ("The stove in the kitchen is burning", 8), ("Tobin Hale is walking", 2), ("A wedding is announced", 9)],
)
def test_importance_of_everyday_things_is_low_and_of_fire_is_high(text: str, expected: int) -> None:
    assert instinct.importance(text) == expected


@pytest.mark.parametrize(
    ("activity", "expected"),
    [
        ("bake bread", "Mara is baking bread"),
        ("sit by the pond", "Mara is sitting by the pond"),
        ("sleeping", "Mara is sleeping"),
        ("tie up the boat.", "Mara is tying up the boat"),
        ("Walk home", "Mara is walking home"),
        ("sit and talk over the soup", "Mara is sitting and talking over the soup"),
        ("eat bread and cheese", "Mara is eating bread and cheese"),
        ("sing", "Mara is singing"),
        ("bring in the washing", "Mara is bringing in the washing"),
        ("being late", "Mara is being late"),
        ("", "Mara is standing about"),
    ],
)
def test_an_activity_becomes_a_sentence(activity: str, expected: str) -> None:
    assert instinct.sentence("Mara", activity) == expected


def test_a_hearth_fire_is_no_news_and_a_burning_stove_is() -> None:
    assert instinct.importance("Rufus Blackwood is sitting by the fire") < 5
    assert instinct.importance('Edwin Marsh said: "I find the new chalk rather loud."') < 6
    assert instinct.importance("The stove in the kitchen is burning") >= 8


@pytest.mark.parametrize(
    ("text", "least"),
    [
        ("Mara Voss invited Ada to a party", 7),
        ("Tobin Hale is running for mayor", 8),
        ("Ines Calder lies in bed with a fever", 6),
        ("The barn is on fire", 8),
        ("Mara is getting married", 9),
        ("The refrigerator is empty", 5),
    ],
)
def test_what_the_life_of_a_town_rests_on_is_told(text: str, least: int) -> None:
    assert instinct.importance(text) >= least


@pytest.mark.parametrize(
    "text", ["Mara is kneading dough", "Mara is cooking over the fire", "Rose Marsh is folding towels", "Bo brushed his teeth"]
)
def test_what_everybody_does_every_day_hardly_matters(text: str) -> None:
    assert instinct.importance(text) <= 2


def test_nothing_everyday_counts_beside_what_is_grave() -> None:
    assert "food" in instinct.traits("The stove in the kitchen is warm")
    assert "food" not in instinct.traits("The stove in the kitchen is burning")


def test_a_phrase_counts_in_place_of_its_words() -> None:
    assert "self_care" in instinct.traits("Ada fell asleep")
    assert "injury" in instinct.traits("Ada fell off the roof")


def test_names_are_no_words() -> None:
    assert "nature" not in instinct.traits("Rose Field came in")


@given(st.text(max_size=200))
@settings(max_examples=100, deadline=None)
def test_instinct_rates_whatever_there_is(text: str) -> None:
    assert 1 <= instinct.importance(text) <= 10
