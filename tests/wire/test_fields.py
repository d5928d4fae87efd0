"""Single fields: what steers a terminal or the direction of reading."""

from __future__ import annotations

import pytest

from npc_server import clock
from npc_server.errors import BadInput
from npc_server.wire import fields

STEERING = [
    *("\0", "\x07", "\x1b[31m", "\x7f", "\x85", "\x9b2J", "\u2028", "\u2029"),
    *("\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069"),
]
WELCOME = [
    "👩\u200d🚀",
    "🏴\U000e0067\U000e0062\U000e007f",
    "❤\ufe0f",
    "שלום\u200f",
    "مرحبا\u061c",
    "می\u200cخواهم",
    "Zoë",
    "e\u0301",
    "日本",
]


@pytest.mark.parametrize("value", STEERING, ids=ascii)
def test_name_that_steers_is_refused_with_the_character_named(value: str) -> None:
    for read in (fields.line, fields.npc_id, fields.address):
        with pytest.raises(BadInput) as caught:
            read(f"Mara{value}Voss", "speaker")
        assert "U+" in caught.value.what
        assert value[0] not in str(caught.value)


@pytest.mark.parametrize("value", STEERING, ids=ascii)
def test_text_that_steers_is_taken_without_it(value: str) -> None:
    left = fields.text(f"Hello{value} there", "text")
    assert value[0] not in left
    assert left.startswith("Hello")
    assert left.endswith(" there")


def test_line_breaks_and_tabs_stay_in_texts() -> None:
    assert fields.text("a\tb\nc\r\nd\re\u2028f\x85g", "text") == "a\tb\nc\nd\ne\nf\ng"


@pytest.mark.parametrize("value", WELCOME, ids=ascii)
def test_joiners_and_right_to_left_letters_survive(value: str) -> None:
    assert fields.text(value, "text") == fields.line(value, "name") == value


def test_text_of_nothing_but_steering_is_empty() -> None:
    with pytest.raises(BadInput, match="it is empty"):
        fields.text("\u202e\x1b", "text", required=True)


@pytest.mark.parametrize("year", ["0001", "1342", "1947", "9999"])
def test_any_year_of_the_calendar_is_a_game_time(year: str) -> None:
    at = clock.parse_datetime(f"{year}-01-01 00:00")
    assert fields.time(at, "clock.now_s") == at


@pytest.mark.parametrize("at", [clock.EARLIEST - 1, clock.LATEST + 1])
def test_a_time_outside_the_calendar_is_refused_with_the_years_that_can_be_played(at: int) -> None:
    with pytest.raises(BadInput, match="the years 1 to 9999"):
        fields.time(at, "clock.now_s")
