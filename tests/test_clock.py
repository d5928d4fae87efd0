"""Game time: whole seconds on the game's own calendar."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from npc_server import clock
from npc_server.clock import DAY, HOUR, MINUTE

MOMENTS = st.datetimes().map(lambda when: when.replace(microsecond=0))
NOON = clock.parse_datetime("2026-05-04 12:00")


@given(MOMENTS)
def test_any_date_survives_the_way_there_and_back(when: datetime) -> None:
    assert clock.to_datetime(clock.from_datetime(when)) == when


@given(MOMENTS)
def test_the_day_starts_at_midnight_even_before_1970(when: datetime) -> None:
    at = clock.from_datetime(when)
    assert clock.to_datetime(clock.day_start(at)) == when.replace(hour=0, minute=0, second=0)
    assert clock.hhmm(at) == f"{when.hour:02}:{when.minute:02}"


@given(st.integers(0, 23), st.integers(0, 59))
def test_times_of_day_are_read_as_they_are_written(hour: int, minute: int) -> None:
    assert clock.parse_hhmm(f"{hour:02}:{minute:02}") == hour * HOUR + minute * MINUTE


def test_24_00_is_the_end_of_the_day() -> None:
    assert clock.parse_hhmm("24:00") == DAY


@pytest.mark.parametrize("text", ["", "6", "24:01", "25:00", "12:60", "-1:00", "a:b", "06:30:00", "06.30", "6:"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="time of day"):
        clock.parse_hhmm(text)


@given(st.text(max_size=10))
def test_any_text_is_a_time_within_the_day_or_refused(text: str) -> None:
    try:
        seconds = clock.parse_hhmm(text)
    except ValueError:
        return
    assert 0 <= seconds <= DAY


def test_a_date_is_said_with_its_weekday() -> None:
    assert clock.date(NOON) == "Monday 4 May"


@pytest.mark.parametrize("text", ["0001-01-01 00:00", "0342-02-28 06:00", "1342-06-01 06:00", "9999-12-31 23:59"])
def test_a_date_of_any_year_is_written_as_it_is_read(text: str) -> None:
    at = clock.parse_datetime(text)
    assert clock.EARLIEST <= at <= clock.LATEST
    assert clock.written(at) == text


def test_plans_that_reach_beyond_the_calendar_have_the_right_weekday_and_date() -> None:
    assert clock.date(clock.LATEST) == "Friday 31 December"
    assert clock.date(clock.LATEST + DAY) == "Saturday 1 January"
    assert clock.date(clock.EARLIEST) == "Monday 1 January"
    assert clock.date(clock.EARLIEST - DAY) == "Sunday 31 December"


def test_a_date_with_a_broken_month_is_refused() -> None:
    with pytest.raises(ValueError, match="does not match"):
        clock.parse_datetime("2026-13-04 12:00")


@pytest.mark.parametrize(
    ("before", "said"),
    [
        (-1, "later"),
        (0, "just now"),
        (119, "just now"),
        (20 * MINUTE, "20 minutes ago"),
        (HOUR, "an hour ago"),
        (5 * HOUR, "5 hours ago"),
        (13 * HOUR, "yesterday"),
        (3 * DAY, "3 days ago"),
        (14 * DAY, "2 weeks ago"),
        (70 * DAY, "2 months ago"),
        (800 * DAY, "2 years ago"),
    ],
)
def test_how_long_ago_is_said_as_people_say_it(before: int, said: str) -> None:
    assert clock.ago(NOON - before, NOON) == said


def test_last_night_before_midnight_is_yesterday_even_after_a_short_time() -> None:
    assert clock.ago(clock.day_start(NOON) - 2 * HOUR, clock.day_start(NOON) + HOUR) == "yesterday"
