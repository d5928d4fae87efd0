"""A persona's lines are said where they fit, and when."""

from __future__ import annotations

from dataclasses import replace

import pytest

from npc_server.clock import HOUR
from npc_server.instinct import phrases
from npc_server.instinct.own_lines import fitting
from npc_server.mind.mind import Mind
from npc_server.personas.voice import OnlyThere
from npc_server.records import Line
from tests.instinct.talking import VOICE, mind, said, talk
from tests.minds import MORNING

__all__ = ["mind"]

CAFE = "millbrook:cafe"
GREETING, FAREWELL, REMARK = VOICE.greetings[0], VOICE.farewells[0], VOICE.smalltalk[0]


def bind(mind: Mind, *only: OnlyThere) -> None:
    mind.persona = replace(mind.persona, voice=replace(mind.persona.voice, only=only))


@pytest.mark.parametrize(
    ("place", "fits"),
    [(CAFE, True), (f"{CAFE}:kitchen", True), ("millbrook:cafe_garden", False), ("millbrook:lane:square", False), ("", False)],
)
def test_a_line_of_a_place_is_said_there_and_in_what_lies_in_it(mind: Mind, place: str, fits: bool) -> None:
    bind(mind, OnlyThere(GREETING, CAFE))
    assert (said(mind, replace(talk(), place=place)).text == GREETING) is fits


def test_a_line_of_an_object_is_said_in_its_room(mind: Mind) -> None:
    bind(mind, OnlyThere(GREETING, f"{CAFE}:kitchen:oven"))
    assert said(mind, replace(talk(), place=f"{CAFE}:kitchen")).text == GREETING
    assert said(mind, replace(talk(), place=f"{CAFE}:dining_room")).text != GREETING


def test_where_no_greeting_fits_a_common_one_is_said(mind: Mind) -> None:
    bind(mind, OnlyThere(GREETING, CAFE))
    assert said(mind, talk()).text in {line.format_map({"you": "Tobin"}) for line in phrases.lines("greetings")}


@pytest.mark.parametrize(("hour", "fits"), [(19, False), (20, True), (25, True), (26, False)])
def test_a_line_of_the_night_is_said_past_midnight_and_no_longer(mind: Mind, hour: int, fits: bool) -> None:
    bind(mind, OnlyThere(FAREWELL, "", 20 * HOUR, 2 * HOUR))
    at = MORNING + (hour - 6) * HOUR
    late = replace(talk(), lines=(Line("tobin_hale", "Goodbye, Mara!", at),))
    assert (said(mind, late).text == FAREWELL) is fits


def test_a_remark_that_does_not_fit_gives_way_to_one_that_does(mind: Mind) -> None:
    mind.persona = replace(mind.persona, voice=replace(VOICE, smalltalk=(REMARK, "The oven sulks.")))
    bind(mind, OnlyThere("The oven sulks.", CAFE))
    opened = [replace(talk(("mara_voss", "a"), ("tobin_hale", "b")), id=f"t{i}") for i in range(9)]
    assert {said(mind, it).text for it in opened} == {REMARK}


def test_a_line_of_two_places_is_said_at_both(mind: Mind) -> None:
    bind(mind, OnlyThere(GREETING, CAFE), OnlyThere(GREETING, "millbrook:green"))
    fits = [fitting(mind, replace(talk(), place=place), [GREETING]) for place in (CAFE, "millbrook:green:lawn", "millbrook:lane")]
    assert fits == [[GREETING], [GREETING], []]


def test_a_farewell_that_names_a_past_hour_is_not_said_even_where_it_fits(mind: Mind) -> None:
    mind.persona = replace(mind.persona, voice=replace(VOICE, farewells=("See you at 05:00.", FAREWELL)))
    bind(mind, OnlyThere("See you at 05:00.", "millbrook:lane"))
    assert said(mind, talk(("tobin_hale", "Goodbye, Mara!"))).text == FAREWELL
