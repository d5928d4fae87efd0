"""Instinct: what a mind does when the model is missing, slow or wrong. It lives by the persona's routine and a few plain rules.

Everything here is pure: the same persona, time and place give the same answer.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from itertools import cycle

from npc_server import clock
from npc_server.cognition.places import suit, words_of
from npc_server.personas.schema import Persona, RoutineItem
from npc_server.records import Address, GameTime
from npc_server.world.tree import Node, ObjectAction

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@dataclass(frozen=True)
class _Words:
    importance: tuple[tuple[int, frozenset[str]], ...]
    mundane: tuple[str, ...]
    emoji: tuple[tuple[str, frozenset[str]], ...]
    verbs: frozenset[str]


@cache
def _words() -> _Words:
    data = tomllib.loads(resources.files("npc_server").joinpath("data/instinct.toml").read_text(encoding="utf-8"))
    return _Words(
        tuple((int(level), frozenset().union(*map(words_of, words))) for level, words in data["importance"].items()),
        tuple(data["mundane"]["states"]),
        tuple((emoji, frozenset().union(*map(words_of, words))) for emoji, words in data["emoji"].items()),
        frozenset(data["verbs"]["words"]),
    )


# ---- how much a memory matters

LONG_WORDS = 9
"""Words of a short memory, at most."""
_SPOKEN = re.compile(r'^.{1,60}? said: "(.*)"$', re.DOTALL)
_NAME = re.compile(r"\b(?!(?:The|An?|My|His|Her|Our|Your|Their|No|This|That|There|When|If|It|I|Old)\b)[A-Z][\w-]+ [A-Z][\w-]+|['’]s\b")
"""First and family name, which are no words: `Rose Marsh`; and the ending of what is hers."""
_WORD = re.compile(r"[a-z]+(?:-[a-z]+)*")
_PASSIVE = re.compile(r"\b(?:was|were|been|be) [a-z]+(?:ed|en|t|wn)\b")
_DOING = re.compile(r"\b(?:is|are|was|were|am) [a-z]+ing\b")
_THING = re.compile(r"(?:The|An?) .*\b(?:is|are)\b")
_NOW = frozenset(("is", "are", "am", "will", "has", "have", "must", "can"))
_PERFECT = frozenset(("has", "have", "had"))
_DENIED = frozenset(("not", "no", "without", "nothing", "never", "t"))
"""The last is what is left of `don't`."""


@dataclass(frozen=True)
class _Weights:
    start: float
    of: dict[str, float]
    least: dict[str, int]
    grave: frozenset[str]
    everyday: frozenset[str]
    exact: dict[str, str]
    stems: dict[str, str]
    phrases: dict[str, tuple[tuple[tuple[str, ...], str], ...]]
    """By their first stem, the longest first."""


@cache
def _weights() -> _Weights:
    data = tomllib.loads(resources.files("npc_server").joinpath("data/poignancy.toml").read_text(encoding="utf-8"))
    kinds = {**data["grave"], **data["further"], **data["everyday"]}
    exact: dict[str, str] = {}
    stems: dict[str, str] = {}
    phrases: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for kind, entry in kinds.items():
        for words in (part.strip() for part in entry["words"].split(",")):
            found = tuple(_stem(word) for word in _WORD.findall(words))
            if words.startswith("="):
                exact[words[1:]] = kind
            elif len(found) == 1:
                stems[found[0]] = kind
            else:
                phrases.setdefault(found[0], []).append((found, kind))
    return _Weights(
        data["start"],
        {**data["form"], **{kind: entry["weight"] for kind, entry in kinds.items()}},
        {kind: entry["least"] for kind, entry in kinds.items() if "least" in entry},
        frozenset(data["grave"]),
        frozenset(data["everyday"]),
        exact,
        stems,
        {first: tuple(sorted(known, key=lambda phrase: -len(phrase[0]))) for first, known in phrases.items()},
    )


@lru_cache(maxsize=8192)
def _stem(word: str) -> str:
    """A word without its ending: `party` of `parties`, `knead` of `kneading`; other than in `words_of`, `bleed` stays `bleed`."""
    if len(word) > 4 and word.endswith(("ies", "ied")):
        return word[:-3] + "y"
    for ending in ("ing", "es", "s", "ed", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith(("eed", "ss")):
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz" else word


def _kinds(words: Sequence[str]) -> list[str]:
    """The kinds of words, each once."""
    known = _weights()
    stems = tuple(_stem(word) for word in words)
    found: dict[str, None] = {}
    i = 0
    while i < len(stems):
        phrase = next((it for it in known.phrases.get(stems[i], ()) if stems[i : i + len(it[0])] == it[0]), None)
        kind = phrase[1] if phrase else known.exact.get(words[i]) or known.stems.get(stems[i])
        if kind:
            found[kind] = None
        i += len(phrase[0]) if phrase else 1
    return list(found)


def traits(text: str) -> list[str]:
    """What a memory's weight is made of: the kinds of its words, and how it is put."""
    spoken = _SPOKEN.match(text)
    text = spoken[1] if spoken else text
    words = _WORD.findall(_NAME.sub(" ", text).lower())
    kinds = _kinds(words)
    grave = sum(kind in _weights().grave for kind in kinds)
    forms = {
        "doing": not grave and _DOING.search(text),
        "thing": not grave and _THING.match(text),
        "perfect": not _PERFECT.isdisjoint(words),
        "past": _NOW.isdisjoint(words),
        "passive": _PASSIVE.search(text),
        "question": "?" in text,
        "spoken": spoken,
        "number": any(char.isdigit() for char in text),
        "long": len(words) > LONG_WORDS,
        "denied": not _DENIED.isdisjoint(words),
        "plain": bool(kinds) and all(kind in _weights().everyday for kind in kinds),
        "grave": grave,
        "graver": grave > 1,
    }
    found = [kind for kind in kinds if not grave or kind not in _weights().everyday]
    return found + [form for form, is_so in forms.items() if is_so]


def trait_names() -> tuple[str, ...]:
    """All there are."""
    return tuple(_weights().of)


def importance(text: str) -> int:
    """1 (mundane) to 10 (life changing)."""
    plain = text.lower().rstrip(".! ")
    if any(plain.endswith(f" is {state}") or plain.endswith(f" are {state}") for state in _words().mundane):
        return 1
    known, found = _weights(), traits(text)
    value = round(known.start + sum(known.of[trait] for trait in found))
    return min(10, max(1, value, *(known.least.get(trait, 1) for trait in found)))


def heavy_words() -> tuple[tuple[int, frozenset[str]], ...]:
    """The words of what is out of the ordinary, the heaviest first, with their importance."""
    return tuple((level, words) for level, words in _words().importance if level > 5)


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
    if short and sum(char in vowels for char in verb) == 1:
        return verb + verb[-1] + "ing"
    return verb + "ing"
