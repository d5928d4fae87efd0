from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from npc_server.clock import HOUR, MINUTE
from npc_server.mind import appointments
from npc_server.mind.agreement import Agreement, AgreementKind
from npc_server.mind.instinct import Invitation
from npc_server.mind.mind import Mind
from tests.minds import MORNING

MakeMind = Callable[..., Mind]
KIND = AgreementKind()
SQUARE = "millbrook:green:pond_side"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("no", Agreement(False)),
        ("No.", Agreement(False)),
        ("yes, now at the Kettle Café to eat soup", Agreement(True, "now", 0, "the Kettle Café", "eat soup")),
        ("yes, today 16:00 at the mill to carry sacks", Agreement(True, "today", 16 * HOUR, "the mill", "carry sacks")),
        ("Yes, Tomorrow at 9:30, at here to talk.", Agreement(True, "tomorrow", 9 * HOUR + 30 * MINUTE, "here", "talk")),
        ("yes, now to carry sacks", Agreement(True, "now", 0, "here", "carry sacks")),
        ("yes, Friday 10:00 at the green", Agreement(True, "Friday", 10 * HOUR, "the green", "meet")),
    ],
)
def test_an_agreement_is_read_in_the_forms_in_which_models_write_it(text: str, expected: Agreement) -> None:
    assert KIND.read(text) == expected


@pytest.mark.parametrize("text", ["", "maybe", "yes", "yes, tomorrow 25:00 at the mill to swim", "yes, some day 10:00 at the mill to swim"])
def test_what_is_no_agreement_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match=r"neither 'no' nor e\.g\. 'yes, "):
        KIND.read(text)


@settings(max_examples=100, deadline=None)
@given(st.from_regex(KIND.regex().replace("x{2028}", "u2028").replace("x{2029}", "u2029"), fullmatch=True))
def test_whatever_the_grammar_admits_is_read(text: str) -> None:
    assert isinstance(KIND.read(text), Agreement)


def test_who_agrees_to_come_now_comes_now(make_mind: MakeMind) -> None:
    mind = make_mind()
    found = appointments.meant(mind, Agreement(True, "now", 0, "here", "talk"), SQUARE, MORNING + HOUR)
    assert (found.start, found.address) == (MORNING + HOUR, SQUARE)
    assert appointments.obstacle(mind, found, MORNING + HOUR) == ""


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("here", SQUARE),
        ("this place", SQUARE),
        ("Millbrook", SQUARE),
        ("the cafe", "millbrook:cafe"),
        ("Kettle", "millbrook:cafe"),
        ("the Kettle Café", "millbrook:cafe"),
        ("the big table at the Kettle Café", "millbrook:cafe"),
        ("my house", "millbrook:mara_house"),
        ("home", "millbrook:mara_house"),
        ("the green", "millbrook:green"),
        ("Village Green", "millbrook:green"),
        ("the moon", ""),
    ],
)
def test_a_place_is_known_by_the_names_that_people_give_it(make_mind: MakeMind, name: str, address: str) -> None:
    mind = make_mind()
    for place in ("millbrook:green:pond_side:pond", "millbrook:shop", "millbrook:workshop"):
        if place in mind.world:
            mind.see(place, MORNING)
    assert appointments.place_named(mind, name, SQUARE) == address


def test_who_names_an_unknown_place_is_told_of_known_ones_that_read_like_it(make_mind: MakeMind) -> None:
    wrong = appointments.unknown_place(make_mind(), "the kettle inn")
    assert wrong.startswith("agrees to come to 'the kettle inn', and no known place has that name. Known places: the Kettle Café")


@pytest.mark.parametrize(("at", "day"), [(MORNING + 2 * HOUR, "today 10:00"), (MORNING + 15 * HOUR, "tomorrow 08:00")])
def test_the_example_is_of_this_town_and_of_an_hour_to_come(make_mind: MakeMind, at: int, day: str) -> None:
    mind = make_mind()
    example = appointments.example(mind, SQUARE, "Tobin", at)
    assert example == f"yes, {day} at the Kettle Café to help Tobin"
    found = appointments.meant(mind, AgreementKind(example).read(example), SQUARE, at)  # type: ignore[arg-type]
    assert found.address
    assert appointments.obstacle(mind, found, at) == ""


async def test_who_says_yes_twice_to_the_same_has_one_appointment_and_one_promise(make_mind: MakeMind) -> None:
    mind = make_mind()
    first = Invitation(MORNING + 4 * HOUR, MORNING + 5 * HOUR, "millbrook:cafe", "look at the chair")
    assert len(await appointments.promise(mind, first, ["tobin_hale"], MORNING)) == 1
    again = replace(first, start=first.start + 5 * MINUTE, end=first.end + 5 * MINUTE)
    assert appointments.obstacle(mind, again, MORNING) == ""
    assert await appointments.promise(mind, again, ["tobin_hale"], MORNING) == []
    assert len(appointments.coming(mind, MORNING)) == 1
    elsewhere = replace(again, address=SQUARE)
    assert "promised already" in appointments.obstacle(mind, elsewhere, MORNING)
