from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from npc_server.clock import parse_datetime
from npc_server.instinct import invitations
from npc_server.world.tree import World
from tests.minds import MORNING

CAFE = "millbrook:cafe"


@pytest.mark.parametrize(
    ("text", "start", "end", "place"),
    [
        ("Give a party at the Kettle Café on Tuesday 5 May from 17:00 to 19:00.", "2026-05-05 17:00", "2026-05-05 19:00", CAFE),
        ("Come to the village green tomorrow at 5 pm!", "2026-05-05 17:00", "2026-05-05 18:00", "millbrook:green"),
        ("We meet at noon by the well.", "2026-05-04 12:00", "2026-05-04 13:00", "millbrook:lane:square:well"),
        ("Supper on Friday at seven o'clock", "2026-05-08 19:00", "2026-05-08 20:00", ""),
        ("The market is on May 9 from 08:00 until 12:30", "2026-05-09 08:00", "2026-05-09 12:30", ""),
        ("See you at 05:00", "2026-05-05 05:00", "2026-05-05 06:00", ""),
    ],
)
def test_a_sentence_tells_when_and_where(world: World, text: str, start: str, end: str, place: str) -> None:
    found = invitations.find(text, MORNING, world)
    assert found
    assert (found.start, found.end, found.address) == (parse_datetime(start), parse_datetime(end), place)


@pytest.mark.parametrize("text", ["The bread is fresh.", "On Monday 4 May from 02:00 to 03:00 it rained.", "At 99:99 or 25 pm", ""])
def test_a_sentence_without_a_time_to_come_is_no_appointment(world: World, text: str) -> None:
    assert invitations.find(text, MORNING, world) is None


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=80))
def test_no_sentence_breaks_it(text: str) -> None:
    invitations.find(text + " at 31 February 17:00", MORNING, [])
