from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from npc_server.instinct import poignancy
from npc_server.records import MemoryTopic


@pytest.mark.parametrize(
    ("text", "expected"),
    [("The stove is off", 1), ("The stove in the kitchen is burning", 8), ("Tobin Hale is walking", 2), ("A wedding is announced", 9)],
)
def test_importance_of_everyday_things_is_low_and_of_fire_is_high(text: str, expected: int) -> None:
    assert poignancy.importance(text) == expected


def test_a_hearth_fire_is_no_news_and_a_burning_stove_is() -> None:
    assert poignancy.importance("Rufus Blackwood is sitting by the fire") < 5
    assert poignancy.importance('Edwin Marsh said: "I find the new chalk rather loud."', MemoryTopic.SAID) < 6
    assert poignancy.importance("The stove in the kitchen is burning") >= 8


@pytest.mark.parametrize(
    ("text", "least"),
    [
        ("Mara Voss invited Ada to a party", 7),
        ("Tobin Hale was elected", 6),
        ("Ines Calder lies in bed with a fever", 6),
        ("The barn is on fire", 8),
        ("Mara is getting married", 9),
        ("The refrigerator is empty", 5),
    ],
)
def test_what_the_life_of_a_town_rests_on_is_told(text: str, least: int) -> None:
    assert poignancy.importance(text) >= least


@pytest.mark.parametrize(
    "text", ["Mara is kneading dough", "Mara is cooking over the fire", "Rose Marsh is folding towels", "Bo brushed his teeth"]
)
def test_what_everybody_does_every_day_hardly_matters(text: str) -> None:
    assert poignancy.importance(text) <= 2


def test_nothing_everyday_counts_beside_what_is_grave() -> None:
    assert "food" in poignancy.traits("The stove in the kitchen is warm")
    assert "food" not in poignancy.traits("The stove in the kitchen is burning")


def test_a_phrase_counts_in_place_of_its_words() -> None:
    assert "self_care" in poignancy.traits("Ada fell asleep")
    assert "injury" in poignancy.traits("Ada fell off the roof")


def test_what_somebody_said_is_weighed_by_the_words_that_were_said() -> None:
    fire = 'Edwin Burn said: "The barn burned down"'
    assert "spoken" in poignancy.traits(fire, MemoryTopic.SAID)
    assert "spoken" not in poignancy.traits(fire)
    assert {*poignancy.traits(fire, MemoryTopic.SAID)} == {*poignancy.traits("The barn burned down"), "spoken"}


def test_names_are_no_words() -> None:
    assert "nature" not in poignancy.traits("Rose Field came in")


@given(st.text(max_size=200))
@settings(max_examples=100, deadline=None)
def test_instinct_rates_whatever_there_is(text: str) -> None:
    assert 1 <= poignancy.importance(text) <= 10


def test_of_a_thing_seen_somewhere_its_state_matters_and_not_what_it_is_for() -> None:
    assert poignancy.importance("The altar in the nave of St Osyth's is unlit") < 6
    assert poignancy.importance("The altar in the nave of St Osyth's is burning") >= 8
