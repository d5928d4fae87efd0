"""The routine of a persona on a given day: when it gets up and goes to bed, and what it does in between.

All functions are pure: the same persona and time give the same answer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import cycle

from npc_server import clock
from npc_server.personas.schema import Persona, RoutineItem
from npc_server.records import Address, GameTime

ASLEEP = "sleeping"
"""The activity at night."""


@dataclass(frozen=True)
class Stretch:
    """A part of a day: from when to when in game time, the activity, and the place if the routine names one."""

    start: GameTime
    end: GameTime
    text: str
    where: Address = ""
    item: RoutineItem | None = None
    rests: bool = False
    """Whether it is a gap in the routine."""


def waking_day(persona: Persona, now: GameTime) -> GameTime:
    """Midnight before the waking day of `now`. The hours before getting up belong to the day before."""
    return clock.day_start(now - persona.wake)


def bedtime(persona: Persona, day: GameTime) -> GameTime:
    """When the waking day after the midnight `day` ends. Somebody may go to bed after the next midnight."""
    return day + persona.sleep + (clock.DAY if persona.sleep <= persona.wake else 0)


def is_asleep_at(persona: Persona, now: GameTime) -> bool:
    """Whether the persona is in bed at `now`, by its routine."""
    return now >= bedtime(persona, waking_day(persona, now))


def next_waking(persona: Persona, now: GameTime) -> GameTime:
    """When the persona next gets up after `now`."""
    return waking_day(persona, now) + clock.DAY + persona.wake


def home(persona: Persona) -> Address:
    """The house where the persona lives, which is the sector of its bed."""
    return ":".join(persona.home.split(":")[:2])


def routine(persona: Persona, day: GameTime) -> list[Stretch]:
    """The parts of the waking day after the midnight `day`, without gaps, from getting up to going to bed."""
    items = list(persona.routine_on(clock.to_datetime(day).weekday()))
    starts = [day + item.at + (clock.DAY if item.at < persona.wake else 0) for item in items]
    night = bedtime(persona, day)
    found: list[Stretch] = []
    for i, item in enumerate(items):
        following = starts[i + 1] if i + 1 < len(items) else night
        end = min(following, starts[i] + item.minutes * clock.MINUTE) if item.minutes else following
        if starts[i] < end:
            found.append(Stretch(starts[i], end, item.text, item.where, item))
        if end < following:
            found.append(Stretch(end, following, "resting at home", home(persona), None, rests=True))
    if not found:
        found.append(Stretch(day + persona.wake, night, "spending the day at home", home(persona), None))
    elif found[0].start > day + persona.wake:
        found.insert(0, Stretch(day + persona.wake, found[0].start, "getting up", home(persona), None))
    return found


def strokes(persona: Persona, day: GameTime, most: int) -> list[Stretch]:
    """The waking day in at most `most` broad strokes (Generative Agents, section 4.3). The shortest neighbours are joined first."""
    found = routine(persona, day)
    while len(found) > most:
        spans = [found[i + 1].end - found[i].start for i in range(len(found) - 1)]
        i = spans.index(min(spans))
        longer = max(found[i], found[i + 1], key=lambda s: s.end - s.start)
        found[i : i + 2] = [Stretch(found[i].start, found[i + 1].end, longer.text, longer.where, None)]
    return found


def steps(stretch: Stretch, start: GameTime, end: GameTime, longest: int) -> list[Stretch]:
    """The stretch from `start` to `end`, divided into the steps of its routine item. Without steps it stays in one piece.

    No step takes longer than `longest` minutes.
    """
    pieces = stretch.item.pieces(longest) if stretch.item else ()
    if not any(piece.minutes for piece in pieces):
        return [Stretch(start, end, stretch.text, stretch.where, rests=stretch.rests)]
    # The steps continue where they would be by now, so that a late start does not begin the morning again.
    found: list[Stretch] = []
    at = stretch.start
    for piece in cycle(pieces):
        if at >= end:
            return found
        until = min(at + piece.minutes * clock.MINUTE, end)
        if until > start:
            found.append(Stretch(max(at, start), until, piece.text, piece.where))
        at = until
    return found


def lived(persona: Persona, now: GameTime, longest: int) -> list[Stretch]:
    """What the persona has done of its waking day until `now`, step by step; the last step may go on.

    Empty before it gets up. Each stretch has a place. No step takes longer than `longest` minutes.
    """
    day = waking_day(persona, now)
    if is_asleep_at(persona, now) and now >= day + clock.DAY:
        return []  # the night before the first morning: the day before it is not told
    found: list[Stretch] = []
    for stretch in routine(persona, day):
        pieces = steps(stretch, stretch.start, stretch.end, longest) if stretch.start < now else []
        found += [replace(piece, where=piece.where or stretch.where or home(persona)) for piece in pieces if piece.start < now]
    return found
