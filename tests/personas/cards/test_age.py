"""The age of a person is read from a card's text where it is stated, and from nothing else."""

from __future__ import annotations

import pytest

from npc_server.personas.cards import age

NAMES = ("Wren Abernathy", "Wren")
STATED = {
    "Wren Abernathy is twenty-six and drives the library van": 26,
    "Wren is a 67-year-old ash-witch": 67,
    "Wren is a tall, dark 34 year old man": 34,
    "Wren is a retired, seventy-one-year-old sailor": 71,
    "Wren is about 1,342 years old": 1342,
    "Wren is sixty seven years of age": 67,
    "Wren (26) drives a van": 26,
    "Wren, 26, drives a van": 26,
    "Wren's 44 and tired": 44,
    "Wren is now forty": 40,
    "A 34-year-old smith from the coast": 34,
}
NOT_STATED = (
    "Wren's mother Rosaria is 79",
    "Her sister is 30 years old",
    "She is 30 years old",
    "Wren is the mother of a 10-year-old",
    "Wren lives with a 12-year-old son",
    "Wren was twenty when the mine closed",
    "Wren is not 30 years old",
    "Wren is in her forties",
    "Wren is one of the bakers",
    "Wren is two metres tall",
    "Wren is 3.5 metres tall",
    "Wren is forty minutes late",
    "Wren is the owner of a 1994 Leyland",
    "Wren-Ann is 30",
    "Wren is 999,999 years old",
)


@pytest.mark.parametrize("sentence", STATED)
def test_an_age_that_is_stated_is_read(sentence: str) -> None:
    assert age.in_text([sentence], NAMES) == STATED[sentence]


@pytest.mark.parametrize("sentence", NOT_STATED)
def test_other_numbers_are_no_age(sentence: str) -> None:
    assert age.in_text([sentence], NAMES) is None


@pytest.mark.parametrize(
    ("value", "years"),
    [("44", 44), ("forty-four", 44), ("26 years old", 26), ("about 30", 30), ("1,000+", 1000), ("unknown", None), ("20-25", None),
     ("late twenties", None), ("3 months", None), ("three hundred", None)],
)  # fmt: skip
def test_a_label_states_an_age_or_not(value: str, years: int | None) -> None:
    assert age.of_label(value) == years
