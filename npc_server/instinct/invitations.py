"""Reading invitations: the time and place in "a party at the Kettle Café on Tuesday at 17:00".

Used with a model, too, so that people do not miss a party because of a bad reply.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import lru_cache

from npc_server import clock
from npc_server.english.number_words import SMALL
from npc_server.english.text import clipped
from npc_server.mind.instinct import Invitation
from npc_server.mind.mind import Mind
from npc_server.mind.surroundings import named_places
from npc_server.records import Address, GameTime, Talk
from npc_server.world.tree import Node, NodeKind

USUAL_LENGTH = clock.HOUR
"""Game seconds of an event without an end."""

_OCCASION = re.compile(
    r"\b(?:an?|the|his|her|their|my) ([a-zA-Z' -]{0,40}?(?:party|supper|dinner|meeting|dance|wedding|concert|fair|play|feast|lesson))\b",
    re.I,
)
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_HOURS = {word: number for word, number in SMALL.items() if 1 <= number <= 12}
_TIME = rf"(?:(\d{{1,2}}):(\d{{2}})|(\d{{1,2}}) ?(am|pm)|(noon|midnight)|({'|'.join(_HOURS)}) o'?clock)"
_RANGE = re.compile(rf"{_TIME}\s*(?:to|until|till|-|–)\s*{_TIME}", re.IGNORECASE)
_MOMENT = re.compile(rf"\b{_TIME}", re.IGNORECASE)
_DATE = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)? (?:of )?({'|'.join(_MONTHS)})\b|\b({'|'.join(_MONTHS)}) (\d{{1,2}})\b", re.IGNORECASE)

_DAY_NAMED = re.compile(rf"\b(?:today|tonight|tomorrow|this evening|(?:{'|'.join(_WEEKDAYS)})s?)\b", re.IGNORECASE)


def find(text: str, now: GameTime, places: Iterable[Node]) -> Invitation | None:
    """The invitation in a sentence; None when it names no time, or one that is past."""
    times = _times(text)
    if times is None:
        return None
    day = _day(text, now, times[0])
    start, end = day + times[0], day + times[1]
    if end <= start:
        end += clock.DAY
    return Invitation(start, end, _place(text, places), occasion(text)) if end > now else None


def left_out(mind: Mind, talk: Talk, speaker: str, claims: Sequence[str], now: GameTime) -> list[str]:
    """Lines of a speaker with an invitation that none of the claims has.

    A line that names an hour and no day means the day that was named last.
    """
    lines = [line.text for line in talk.lines if line.speaker == speaker and line.claims is None]
    places = named_places(mind)
    known = {(found.start, found.address) for claim in claims if (found := find(claim, now, places))}
    missed: list[str] = []
    day = ""
    for line in lines:
        if names_day(line):
            day = text = line
        else:
            text = f"{day} {line}".strip()
        found = find(text, now, places)
        if found and found.address and (found.start, found.address) not in known:
            known.add((found.start, found.address))
            missed.append(clipped(text, 200))
    return missed


def names_day(text: str) -> bool:
    """Whether a sentence names a day."""
    return _DAY_NAMED.search(text) is not None or _DATE.search(text) is not None


@lru_cache(maxsize=16384)
def announces(text: str) -> bool:
    """Whether a sentence names an occasion such as a party, with its day and hour."""
    return _OCCASION.search(text) is not None and names_day(text) and _times(text) is not None


def names_past_hour(text: str, now: GameTime) -> bool:
    """Whether a sentence names an hour of the day that is past, and no day."""
    times = _times(text)
    return times is not None and not names_day(text) and clock.day_start(now) + times[0] <= now


def occasion(text: str) -> str:
    """What an invitation is to, in a few words: `the party`."""
    found = _OCCASION.search(text)
    return f"the {found.group(1).strip()}" if found else "what was agreed on"


def _times(text: str) -> tuple[int, int] | None:
    """Start and end in seconds since midnight."""
    found = _RANGE.search(text)
    if found:
        groups = found.groups()
        end = _seconds(groups[6:])
        begin = _seconds(groups[:6])
        return (begin, end) if begin is not None and end is not None else None
    for match in _MOMENT.finditer(text):
        begin = _seconds(match.groups())
        if begin is not None:
            return begin, begin + USUAL_LENGTH
    return None


def _seconds(groups: tuple[str | None, ...]) -> int | None:
    hour, minute, clock_hour, half, name, word = groups
    if hour is not None and minute is not None:
        h, m = int(hour), int(minute)
    elif clock_hour is not None and half is not None:
        h, m = int(clock_hour) % 12 + (12 if half.lower() == "pm" else 0), 0
        if not 1 <= int(clock_hour) <= 12:
            return None
    elif name is not None:
        h, m = (12, 0) if name.lower() == "noon" else (24, 0)
    else:
        spoken = _HOURS[(word or "twelve").lower()]
        # When people are up: five o'clock is in the afternoon, nine o'clock in the morning.
        h, m = spoken + 12 if spoken < 8 else spoken, 0
    return h * clock.HOUR + m * clock.MINUTE if 0 <= h <= 24 and 0 <= m < 60 else None


def _day(text: str, now: GameTime, begin: int) -> GameTime:
    """Midnight at the start of the day that is meant; the next possible one when none is named."""
    low = text.lower()
    today = clock.day_start(now)
    date = _DATE.search(text)
    if date:
        day, month, month2, day2 = date.groups()
        wanted = _date(now, int(day or day2 or 1), _MONTHS.index((month or month2 or "may").lower()) + 1)
        if wanted is not None:
            return wanted
    if "tomorrow" in low:
        return today + clock.DAY
    for number, name in enumerate(_WEEKDAYS):
        if re.search(rf"\b{name}s?\b", low):
            ahead = (number - clock.to_datetime(now).weekday()) % 7
            if ahead == 0 and today + begin + USUAL_LENGTH <= now:
                ahead = 7
            return today + ahead * clock.DAY
    if "today" in low or "tonight" in low or "this evening" in low or today + begin > now:
        return today
    return today + clock.DAY


def _date(now: GameTime, day: int, month: int) -> GameTime | None:
    """The next such date, or this year's if that is not more than half a year ago."""
    year = clock.to_datetime(now).year
    for candidate in (year, year + 1):
        try:
            when = datetime(candidate, month, day)
        except ValueError:
            return None
        if (at := clock.from_datetime(when)) >= now - 180 * clock.DAY:
            return at
    return None


def _place(text: str, places: Iterable[Node]) -> Address:
    """The place with the longest name in the sentence; of two with the same name the one higher in the tree."""
    low = text.casefold()
    best: tuple[int, int, Address] | None = None
    for node in places:
        if node.kind is NodeKind.WORLD:
            continue
        name = re.sub(r"^(the|a|an) ", "", node.name.casefold())
        if re.search(rf"\b{re.escape(name)}\b", low):
            score = (len(name), -node.address.count(":"))
            if best is None or score > best[:2]:
                best = (*score, node.address)
    return best[2] if best else ""
