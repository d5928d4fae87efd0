"""Instinct: what a mind does when the model is missing, slow or wrong. It lives by the persona's routine and a few plain rules.

Everything here is pure: the same persona, time and place give the same answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import cycle

from npc_server import clock
from npc_server.cognition.places import suit, words_of
from npc_server.data_files import read_toml
from npc_server.personas.schema import Persona, RoutineItem
from npc_server.records import Address, GameTime
from npc_server.world.tree import Node, ObjectAction


@dataclass(frozen=True)
class _Words:
    importance: tuple[tuple[int, frozenset[str]], ...]
    mundane: tuple[str, ...]
    emoji: tuple[tuple[str, frozenset[str]], ...]
    verbs: frozenset[str]
    doubled: frozenset[str]
    """Longer verbs whose last letter is doubled before an ending."""


@cache
def _words() -> _Words:
    data = read_toml("instinct.toml")
    return _Words(
        tuple((int(level), frozenset().union(*map(words_of, words))) for level, words in data["importance"].items()),
        tuple(data["mundane"]["states"]),
        tuple((emoji, frozenset().union(*map(words_of, words))) for emoji, words in data["emoji"].items()),
        frozenset(data["verbs"]["words"]),
        frozenset(data["verbs"]["doubled"]),
    )


def mundane() -> tuple[str, ...]:
    """States of things that nobody remarks on."""
    return _words().mundane


def heavy_words() -> tuple[tuple[int, frozenset[str]], ...]:
    """The words of what is out of the ordinary, the heaviest first, with their importance."""
    return _words().importance


def verbs() -> frozenset[str]:
    """Verbs of every day."""
    return _words().verbs


def emoji(text: str) -> str:
    """One emoji for an activity."""
    words = words_of(text)
    return next((sign for sign, known in _words().emoji if words & known), "🙂")


# ---- the day

ASLEEP = "sleeping"
"""The activity of the night."""


@dataclass(frozen=True)
class Stretch:
    """Part of a day: game times, what, and where if the routine says so."""

    start: GameTime
    end: GameTime
    text: str
    where: Address = ""
    item: RoutineItem | None = None


def waking_day(persona: Persona, now: GameTime) -> GameTime:
    """Midnight before the waking day that `now` belongs to: the hours before getting up belong to yesterday."""
    return clock.day_start(now - persona.wake)


def bedtime(persona: Persona, day: GameTime) -> GameTime:
    """When the waking day that began after midnight `day` ends; past midnight for those who go to bed late."""
    return day + persona.sleep + (clock.DAY if persona.sleep <= persona.wake else 0)


def is_asleep_at(persona: Persona, now: GameTime) -> bool:
    """Whether the routine has them in bed."""
    return now >= bedtime(persona, waking_day(persona, now))


def next_waking(persona: Persona, now: GameTime) -> GameTime:
    """The next time they get up, after `now`."""
    return waking_day(persona, now) + clock.DAY + persona.wake


def home(persona: Persona) -> Address:
    """The house somebody lives in: the sector of its bed."""
    return ":".join(persona.home.split(":")[:2])


def routine(persona: Persona, day: GameTime) -> list[Stretch]:
    """The routine of the waking day, from getting up to bed."""
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
            found.append(Stretch(end, following, "resting at home", home(persona), None))
    if not found:
        found.append(Stretch(day + persona.wake, night, "spending the day at home", home(persona), None))
    elif found[0].start > day + persona.wake:
        found.insert(0, Stretch(day + persona.wake, found[0].start, "getting up", home(persona), None))
    return found


def strokes(persona: Persona, day: GameTime, most: int) -> list[Stretch]:
    """The routine in at most `most` broad strokes: neighbours are joined, the shortest first."""
    found = routine(persona, day)
    while len(found) > most:
        spans = [found[i + 1].end - found[i].start for i in range(len(found) - 1)]
        i = spans.index(min(spans))
        longer = max(found[i], found[i + 1], key=lambda s: s.end - s.start)
        found[i : i + 2] = [Stretch(found[i].start, found[i + 1].end, longer.text, longer.where, None)]
    return found


def steps(stretch: Stretch, start: GameTime, end: GameTime, longest: int) -> list[Stretch]:
    """The stretch from `start` to `end` in the routine's own pieces; in one when there is no routine behind it."""
    pieces = stretch.item.pieces(longest) if stretch.item else ()
    if not any(piece.minutes for piece in pieces):
        return [Stretch(start, end, stretch.text, stretch.where)]
    # The routine goes on where it would be by now, so that a late start does not begin the morning anew.
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


# ---- acting


@dataclass(frozen=True)
class Deed:
    """Where, and what is done with the object there."""

    address: Address
    action: ObjectAction | None


def choose_place(offered: Sequence[Node], activity: str, hint: Address, states: dict[Address, str]) -> Deed:
    """The plan's own place if it is offered; else what suits best there, else anything there; else what suits best of all (see `suit`).

    Of those that suit alike the first, and the first where nothing suits: they come best first.
    """
    suits = {node.address: suit(node, activity, states.get(node.address, node.state)) for node in offered}
    if hint in suits:
        return Deed(hint, suits[hint].action)
    there = [node for node in offered if hint and node.address.startswith(hint + ":")]
    best = max(there or offered, key=lambda node: suits[node.address].score)
    return Deed(best.address, suits[best.address].action)


def sentence(first_name: str, activity: str) -> str:
    """`Mara is kneading dough`, from an activity such as `kneading dough` or `knead dough`."""
    words = activity.strip().rstrip(".").split()
    if not words:
        return f"{first_name} is standing about"
    words[0] = words[0][0].lower() + words[0][1:]
    verbs = [0] + [i + 1 for i, word in enumerate(words[:-1]) if word == "and" and words[i + 1] in _words().verbs]
    for i in verbs:
        words[i] = words[i] if _is_gerund(words[i]) else gerund(words[i])
    return " ".join([first_name, "is", *words])


def _is_gerund(word: str) -> bool:
    """`baking`, and not `bring` or `sing`: what comes before the ending is a syllable."""
    return word.endswith("ing") and any(letter in "aeiouy" for letter in word[:-3])


def gerund(verb: str) -> str:
    """`bake` → `baking`, `sit` → `sitting`, `be` → `being`."""
    if verb in ("be", "see"):
        return verb + "ing"
    if verb.endswith("ie"):
        return verb[:-2] + "ying"
    if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")):
        return verb[:-1] + "ing"
    vowels = "aeiou"
    short = len(verb) >= 3 and verb[-1] not in vowels + "wxy" and verb[-2] in vowels and verb[-3] not in vowels
    if verb in _words().doubled or (short and sum(char in vowels for char in verb) == 1):
        return verb + verb[-1] + "ing"
    return verb + "ing"
