"""The lexicon of what things are for."""

from __future__ import annotations

import pytest

from npc_server.cognition.stems import telling
from npc_server.cognition.uses import uses_of


def strength(activity: str, name: str, description: str = "") -> float:
    return max((use.strength(telling(activity)) for use in uses_of(name, description)), default=0.0)


@pytest.mark.parametrize(
    ("activity", "suits", "other"),
    [
        ("fry the eggs", "stove", "hen house"),
        ("brush teeth", "washbasin", "hair brush stand"),
        ("plot a course to the moon", "star chart", "kitchen table"),
        ("take out the rubbish", "trash chute", "bookcase"),
        ("swab the deck", "main deck", "bathtub"),
        ("shoe the mare with a new horseshoe", "anvil", "flower bed"),
        ("polish the armour", "weapon rack", "wardrobe"),
        ("bandage a wound", "med bed", "bed"),
        ("photocopy the contract", "printer", "printing press"),
    ],
)
def test_a_thing_suits_what_such_things_are_for(activity: str, suits: str, other: str) -> None:
    assert strength(activity, suits) > strength(activity, other)


def test_a_longer_name_hides_the_shorter_one_within_it() -> None:
    assert uses_of("map table") == uses_of("chart table")
    assert not set(map(id, uses_of("map table"))) & set(map(id, uses_of("table")))


def test_the_last_word_of_a_name_tells_the_kind() -> None:
    assert uses_of("garden gate") == uses_of("gate")
    assert uses_of("gate of the garden") == uses_of("gate")


def test_a_name_that_says_nothing_is_read_by_its_description() -> None:
    assert uses_of("Old Bessie") == ()
    assert strength("fry the eggs", "Old Bessie", "a black cast-iron cooker") > 0.0


def test_words_shared_by_many_kinds_say_less() -> None:
    assert strength("simmer", "stove") > strength("brew", "stove")
