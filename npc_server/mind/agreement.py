"""What somebody answers to a request to come, meet or help, as a reply writes it: `yes, tomorrow 09:00 at the green to carry tables`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from npc_server import clock
from npc_server.llm.reply import Kind, literal
from npc_server.records import GameTime

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
NOW, TODAY, TOMORROW = "now", "today", "tomorrow"
DAYS = (TODAY, TOMORROW, *WEEKDAYS)
NO = "no"
HERE = "here"
"""The place of the talk."""
EXAMPLE = f"yes, {NOW} at this place to talk"
PLACE_CHARS, PURPOSE_CHARS = 60, 80
_TIME = "([01][0-9]|2[0-3]):[0-5][0-9]"
_WHEN = rf"(?P<now>{NOW})|(?P<day>{'|'.join(DAYS)}),? (?:at )?(?P<hour>\d{{1,2}}):(?P<minute>\d\d)"
_READ = re.compile(rf"yes,? (?:{_WHEN}),?(?: (?:at|in|on|by) (?P<place>.+?))??(?: to (?P<purpose>.+))?", re.IGNORECASE)
LATE_S = 30 * clock.MINUTE
"""Game seconds after an hour in which "today" still means it: who agrees to come now names the hour that has just begun."""


@dataclass(frozen=True)
class Agreement:
    """A yes with its day, hour, place and purpose, or a no."""

    comes: bool
    day: str = ""
    """`now`, or one of `DAYS`."""
    time: int = 0
    """Seconds since midnight; 0 for `now`."""
    place: str = ""
    """As the model names it."""
    purpose: str = ""
    """What for, as a verb: `carry sacks`."""

    def start(self, now: GameTime) -> GameTime:
        """When it is, as said at `now`. A weekday is the next one; today's when its hour is still to come."""
        if self.day == NOW:
            return now
        today = clock.day_start(now)
        if self.day in WEEKDAYS:
            ahead = (WEEKDAYS.index(self.day) - clock.to_datetime(now).weekday()) % len(WEEKDAYS)
            start = today + ahead * clock.DAY + self.time
            return start if start >= now - LATE_S else start + len(WEEKDAYS) * clock.DAY
        return today + self.time + (clock.DAY if self.day == TOMORROW else 0)


@dataclass(frozen=True)
class AgreementKind(Kind):
    """The form of an agreement in replies."""

    example: str = EXAMPLE
    """A yes as it may stand in this town at this hour. A small model takes its form, and at times its place."""

    def describe(self, name: str) -> str:
        return f"{NO}, or if asked to come, meet or help, for example: {self.example}"

    def regex(self) -> str:
        words = r"[^\s\x00-\x1F\x7F-\x9F|][^\x00-\x1F\x7F-\x9F\x{2028}\x{2029}|]"
        days = "|".join(map(literal, DAYS))
        return rf"({NO}|yes, ({NOW}|({days}) {_TIME}) at {words}{{1,{PLACE_CHARS - 1}}} to {words}{{1,{PURPOSE_CHARS - 1}}})"

    def read(self, text: str) -> object:
        if text.rstrip(" .").casefold() == NO:
            return Agreement(comes=False)
        found = _READ.fullmatch(text.strip())
        if found is None or "|" in text or not _is_time(found):
            raise ValueError(f"is {text!r}, neither {NO!r} nor e.g. {self.example!r}")
        place, purpose = (found["place"] or HERE).strip()[:PLACE_CHARS], (found["purpose"] or "meet").strip(" .")[:PURPOSE_CHARS]
        if found["now"]:
            return Agreement(True, NOW, 0, place, purpose)
        day = next(day for day in DAYS if day.casefold() == found["day"].casefold())
        return Agreement(True, day, int(found["hour"]) * clock.HOUR + int(found["minute"]) * clock.MINUTE, place, purpose)

    def write(self, value: object) -> str:
        if not isinstance(value, Agreement) or not value.comes:
            return NO
        when = NOW if value.day == NOW else f"{value.day} {clock.hhmm(value.time)}"
        return f"yes, {when} at {value.place} to {value.purpose}"

    def left_out(self) -> str | None:
        return NO


def _is_time(found: re.Match[str]) -> bool:
    return bool(found["now"]) or (int(found["hour"]) < 24 and int(found["minute"]) < 60)
