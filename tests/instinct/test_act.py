from __future__ import annotations

import pytest

from npc_server.clock import DAY, parse_datetime
from npc_server.instinct import act
from npc_server.personas import routine
from npc_server.personas.schema import Persona
from tests.minds import MORNING


def test_the_routine_covers_the_waking_day_without_gaps(persona: Persona) -> None:
    found = routine.routine(persona, MORNING - MORNING % DAY)
    assert found[0].start == MORNING
    assert all(a.end == b.start for a, b in zip(found, found[1:], strict=False))
    assert found[-1].end == parse_datetime("2026-05-04 22:00")


def test_broad_strokes_are_few_and_cover_the_same_day(persona: Persona) -> None:
    day = MORNING - MORNING % DAY
    found = routine.strokes(persona, day, 3)
    assert len(found) == 3
    assert (found[0].start, found[-1].end) == (MORNING, parse_datetime("2026-05-04 22:00"))


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
        ("reset the clock", "Mara is resetting the clock"),
        ("visit Tobin and listen to the radio", "Mara is visiting Tobin and listening to the radio"),
        ("bring in the washing", "Mara is bringing in the washing"),
        ("being late", "Mara is being late"),
        ("", "Mara is standing about"),
    ],
)
def test_an_activity_becomes_a_sentence(activity: str, expected: str) -> None:
    assert act.sentence("Mara", activity) == expected


@pytest.mark.parametrize(
    ("activity", "sentence"),
    [("dressing, button by button", "Mara is dressing, button by button"), ("knead, fold and rest", "Mara is kneading, fold and resting")],
)
def test_a_comma_after_the_verb_belongs_to_no_word(activity: str, sentence: str) -> None:
    assert act.sentence("Mara", activity) == sentence
