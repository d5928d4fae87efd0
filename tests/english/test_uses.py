"""The lexicon of what things are for."""

from __future__ import annotations

import pytest

from npc_server.english.uses import uses_of_action, uses_of_activity, uses_of_thing


def strength(activity: str, name: str, description: str = "") -> float:
    here = uses_of_thing(name, description)
    return max((value for use, value in uses_of_activity(activity).items() if use in here), default=0.0)


@pytest.mark.parametrize(
    ("activity", "suits", "other"),
    [
        ("fry the eggs", "stove", "hen house"),
        ("brush teeth", "bathroom sink", "hair brush stand"),
        ("plot a course to the moon", "star chart", "kitchen table"),
        ("take out the rubbish", "trash chute", "bookcase"),
        ("swab the deck", "main deck", "bathtub"),
        ("shoe the mare with a new horseshoe", "forge", "flower bed"),
        ("polish the armour", "weapon rack", "wardrobe"),
        ("bandage a wound", "med bed", "bed"),
        ("photocopy the contract", "printer", "printing press"),
    ],
)
def test_a_thing_suits_what_such_things_are_for(activity: str, suits: str, other: str) -> None:
    assert strength(activity, suits) > strength(activity, other)


def test_a_longer_name_hides_the_shorter_one_within_it() -> None:
    assert uses_of_thing("map table") == uses_of_thing("chart table")
    assert not uses_of_thing("map table") & uses_of_thing("table")


def test_the_last_word_of_a_name_tells_the_kind() -> None:
    assert uses_of_thing("garden gate") == uses_of_thing("gate")
    assert uses_of_thing("gate of the garden") == uses_of_thing("gate")


def test_a_name_that_says_nothing_is_read_by_its_description() -> None:
    assert not uses_of_thing("Old Bessie")
    assert strength("fry the eggs", "Old Bessie", "a black cast-iron cooker") > 0.0


def test_words_shared_by_many_kinds_say_less() -> None:
    assert strength("simmer", "stove") > strength("brew", "stove")


def test_an_action_is_of_a_use_by_the_words_that_say_something() -> None:
    cooking = set(uses_of_action("make a meal")) & uses_of_thing("stove")
    assert cooking
    assert cooking & set(uses_of_activity("fry the eggs"))


def test_a_rack_for_bicycles_is_for_cycling_and_not_for_wares() -> None:
    assert strength("cycle to school", "bicycle rack") > 0.0
