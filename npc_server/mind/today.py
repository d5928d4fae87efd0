"""Today so far: what an NPC did since it got up, as short lines for prompts."""

from __future__ import annotations

import re
from collections.abc import Sequence

from npc_server import clock
from npc_server.english.stems import stems_of
from npc_server.english.text import clipped, enumerated
from npc_server.mind.doing import OwnDeed
from npc_server.mind.mind import Mind
from npc_server.mind.places import room_of
from npc_server.records import Address, GameTime, MemoryKind, MemoryTopic

_VISIT = re.compile(r"\. (?=\d\d:\d\d-)")
"""Between two places in a line."""
_TIMES = re.compile(r"(?P<begins>\d\d:\d\d)-(?P<ends>\d\d:\d\d|now)(?: at [^:]*)?: (?P<deeds>.*)", re.DOTALL)
OBSERVATIONS_OF_A_DAY = 1000
"""Latest observations among which the memories of today's deeds are looked for. A busy day has a few hundred."""


def today_so_far(mind: Mind, now: GameTime, *, without: str | None = None) -> list[str]:
    """What the NPC did since it got up, oldest first: one line for each hour that is over, and one for what came since.

    `without` is for prompts of a talk that say so anyway, and what the NPC is doing beside it: neither is told again.
    A line reads `Rosa, 06:10-07:00 at the kitchen in the bakery: kneading the dough; baking bread`. Empty on a day without deeds.
    """
    day = mind.day_of(now)
    lately = mind.stream.latest(OBSERVATIONS_OF_A_DAY, (MemoryKind.OBSERVATION,))
    lines = [memory.text for memory in reversed(lately) if memory.topic is MemoryTopic.OWN_DEEDS and memory.created >= day]
    since = as_sentence(mind, mind.lifestyle.deeds if without is None else _but_for(mind.lifestyle.deeds, without))
    return [*lines, since] if since else lines


def shortened(line: str, most: int) -> str:
    """A line of the day so far in at most `most` characters: first without the places where it was before, then what it did in between."""
    visits = _VISIT.split(line)
    while len(visits) > 1 and len(". ".join(visits)) > most:
        visits.pop(0)
    when, colon, deeds = ". ".join(visits).partition(": ")
    first, *rest = deeds.split("; ")
    while len(rest) > 1 and len(when) + sum(len(part) + 2 for part in (first, *rest)) > most:
        rest.pop(0)
    parts = [first, "…", *rest] if rest and len(rest) + 1 < len(deeds.split("; ")) else [first, *rest]
    return clipped(f"{when}{colon}{'; '.join(parts)}", most)


def only_deeds(line: str) -> str:
    """A line of the day so far without places, and with each deed once: `06:10-08:00: kneading the dough; serving customers`."""
    visits = [found for visit in _VISIT.split(line) if (found := _TIMES.match(visit)) is not None]
    if not visits:
        return line
    done = dict.fromkeys(deed for visit in visits for deed in visit["deeds"].split("; "))
    return f"{visits[0]['begins']}-{visits[-1]['ends']}: {'; '.join(done)}"


def _but_for(deeds: Sequence[OwnDeed], doing: str) -> Sequence[OwnDeed]:
    """The deeds without a talk that goes on, and without what `doing` says, if that came just before."""
    done = [deed for deed in deeds if deed.end or not deed.talked_with]
    return done[:-1] if done and not done[-1].failure and stems_of(done[-1].text) <= stems_of(doing) else done


def as_sentence(mind: Mind, deeds: Sequence[OwnDeed]) -> str:
    """Deeds as one sentence, with the rooms in which they were done. Empty when there are none."""
    visits: list[tuple[Address, list[OwnDeed]]] = []
    done = {deed.text for deed in deeds if deed.arrived}
    for deed in deeds:
        if deed.text in done and not deed.arrived and not deed.failure and deed.end:
            continue  # interrupted on the way, and done after all
        room = room_of(mind.world, deed.address)
        if not visits or visits[-1][0] != room:
            visits.append((room, []))
        visits[-1][1].append(deed)
    parts = [_visit(mind, room, items) for room, items in visits]
    return f"{whose(mind)}{'. '.join(parts)}" if parts else ""


def whose(mind: Mind) -> str:
    """The beginning of each line, by which a memory says whose deeds it tells."""
    return f"{mind.persona.first_name}, "


def _visit(mind: Mind, room: Address, deeds: Sequence[OwnDeed]) -> str:
    """What was done in one room. A deed that was left and taken up again is named once, and so are all its talks that are over."""
    start, end = clock.hhmm(deeds[0].start), clock.hhmm(deeds[-1].end) if deeds[-1].end else "now"
    talks = [deed for deed in deeds if deed.talked_with and deed.end and not deed.failure]
    others = dict.fromkeys(mind.people.name_of(other) for deed in talks for other in deed.talked_with)
    talked = f"talking with {enumerated(others)}"
    done = "; ".join(dict.fromkeys(talked if deed in talks else _deed(mind, deed) for deed in deeds))
    where = f" at {mind.world.describe(room)}" if room in mind.world else ""
    return f"{start}-{end}{where}: {done}"


def _deed(mind: Mind, deed: OwnDeed) -> str:
    if deed.failure:
        return f"{deed.text} (could not: {deed.failure})"
    if not deed.arrived:
        return f"{deed.text} (did not get there)" if deed.end else f"{deed.text} (on the way there)"
    talked = {other for it in mind.lifestyle.deeds for other in it.talked_with}
    missed = [
        mind.people.first_name_of(other) for other in deed.meets if other not in talked
    ]  # who comes first has not talked with them yet
    return f"{deed.text} (did not talk with {' or '.join(missed)})" if missed and deed.end else deed.text
