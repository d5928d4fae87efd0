"""Game time: whole seconds since 1970-01-01 00:00 on the calendar of the game, without time zones.

Dates before 1970, such as medieval ones, are negative numbers. Nothing here reads the clock of the machine.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from npc_server.records import GameTime

_EPOCH = datetime(1970, 1, 1)
MINUTE = 60
HOUR = 60 * MINUTE
DAY = 24 * HOUR
EARLIEST: GameTime = -62_135_596_800
LATEST: GameTime = 253_402_300_799
"""0001-01-01 00:00 and 9999-12-31 23:59:59, between which play goes on: the years of Python's calendar."""
_FOUR_CENTURIES = 146_097 * DAY
"""After so long the calendar repeats itself, weekdays included."""


def to_datetime(at: GameTime) -> datetime:
    """The date and time. Plans reach some days beyond the calendar's ends: there the year is 400 years off, and all else is right."""
    if not EARLIEST <= at <= LATEST:
        at = EARLIEST + (at - EARLIEST) % _FOUR_CENTURIES
    return _EPOCH + timedelta(seconds=at)


def from_datetime(when: datetime) -> GameTime:
    return int((when - _EPOCH).total_seconds())


def parse_datetime(text: str) -> GameTime:
    """Reads `2026-05-04 06:00` as game time. The year has four digits. Raises ValueError."""
    return from_datetime(datetime.strptime(text, "%Y-%m-%d %H:%M"))


def written(at: GameTime) -> str:
    """Formats date and time like `2026-05-04 06:00`, as `parse_datetime` reads them."""
    return to_datetime(at).isoformat(" ", "minutes")


def day_start(at: GameTime) -> GameTime:
    """Returns the last midnight before or at `at`."""
    return at - at % DAY


def parse_hhmm(text: str) -> int:
    """Reads `06:30` as seconds since midnight. `24:00` is the end of the day. Raises ValueError."""
    hours, sep, minutes = text.strip().partition(":")
    if not sep or not (hours.isdecimal() and minutes.isdecimal()):
        raise ValueError(f"{text!r} is not a time of day")
    h, m = int(hours), int(minutes)
    if not (0 <= m < 60 and (0 <= h < 24 or (h == 24 and m == 0))):
        raise ValueError(f"{text!r} is not a time of day")
    return h * HOUR + m * MINUTE


def hhmm(at: GameTime) -> str:
    """Formats the time of day like `06:30`."""
    return to_datetime(at).strftime("%H:%M")


def date(at: GameTime) -> str:
    """Formats the date like `Monday 4 May`."""
    when = to_datetime(at)
    return f"{when:%A} {when.day} {when:%B}"


def ago(then: GameTime, now: GameTime) -> str:
    """Says how long ago `then` was, as people do: `20 minutes ago`, `yesterday`, `3 days ago`."""
    seconds = now - then
    if seconds < 0:
        return "later"
    if seconds < 2 * MINUTE:
        return "just now"
    if seconds < HOUR:
        return f"{seconds // MINUTE} minutes ago"
    days = day_start(now) // DAY - day_start(then) // DAY
    if days == 0:
        hours = seconds // HOUR
        return "an hour ago" if hours == 1 else f"{hours} hours ago"
    if days == 1:
        return "yesterday"
    if days < 14:
        return f"{days} days ago"
    if days < 60:
        return f"{days // 7} weeks ago"
    if days < 730:
        return f"{days // 30} months ago"
    return f"{days // 365} years ago"
