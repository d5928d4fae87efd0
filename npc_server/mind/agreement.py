"""What somebody answers to a request to come, meet or help, as a reply writes it: `yes, tomorrow 09:00 at the mill to carry sacks`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from npc_server import clock
from npc_server.llm.reply import Kind, literal
from npc_server.records import GameTime

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
TODAY, TOMORROW = "today", "tomorrow"
DAYS = (TODAY, TOMORROW, *WEEKDAYS)
NO = "no"
PLACE_CHARS, PURPOSE_CHARS = 60, 80
_TIME = "([01][0-9]|2[0-3]):[0-5][0-9]"
_READ = re.compile(rf"yes, ({'|'.join(DAYS)}) ({_TIME}) at (.{{1,{PLACE_CHARS}}}?) to (.{{1,{PURPOSE_CHARS}}})")
LATE_S = 30 * clock.MINUTE
"""Game seconds after an hour in which "today" still means it: who agrees to come now names the hour that has just begun."""


@dataclass(frozen=True)
class Agreement:
    """A yes with its day, hour, place and purpose, or a no."""

    comes: bool
    day: str = ""
    """One of `DAYS`."""
    time: int = 0
    """Seconds since midnight."""
    place: str = ""
    """As the model names it."""
    purpose: str = ""
    """What for, as a verb: `carry sacks`."""

    def start(self, now: GameTime) -> GameTime:
        """When it is, as said at `now`. A weekday is the next one; today's when its hour is still to come."""
        today = clock.day_start(now)
        if self.day in WEEKDAYS:
            ahead = (WEEKDAYS.index(self.day) - clock.to_datetime(now).weekday()) % len(WEEKDAYS)
            start = today + ahead * clock.DAY + self.time
            return start if start >= now - LATE_S else start + len(WEEKDAYS) * clock.DAY
        return today + self.time + (clock.DAY if self.day == TOMORROW else 0)


@dataclass(frozen=True)
class AgreementKind(Kind):
    """The form of an agreement in replies."""

    def describe(self, name: str) -> str:
        return f"{NO}, or for example: yes, {TOMORROW} 09:00 at the mill to carry sacks"

    def regex(self) -> str:
        words = r"[^\s\x00-\x1F\x7F-\x9F|][^\x00-\x1F\x7F-\x9F\x{2028}\x{2029}|]"
        days = "|".join(map(literal, DAYS))
        return rf"({NO}|yes, ({days}) {_TIME} at {words}{{1,{PLACE_CHARS - 1}}} to {words}{{1,{PURPOSE_CHARS - 1}}})"

    def read(self, text: str) -> object:
        if text == NO:
            return Agreement(comes=False)
        found = _READ.fullmatch(text)
        if found is None or "|" in text:
            raise ValueError(f"is {text!r}, neither {NO!r} nor e.g. 'yes, {TOMORROW} 09:00 at the mill to carry sacks'")
        day, time, _, place, purpose = found.groups()
        return Agreement(True, day, clock.parse_hhmm(time), place.strip(), purpose.strip(" ."))

    def write(self, value: object) -> str:
        if not isinstance(value, Agreement) or not value.comes:
            return NO
        return f"yes, {value.day} {clock.hhmm(value.time)} at {value.place} to {value.purpose}"
