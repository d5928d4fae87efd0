"""Rules that rate a memory, and know of which they are sure: everyday sights, small talk, the state of a thing.

What is out of the ordinary is rated by its words, and left to the model where there is one.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from importlib import resources

from npc_server.cognition import instinct
from npc_server.cognition.places import words_of

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SAID_IN_PASSING_WORDS = 14
"""Longest line that counts as small talk when nothing in it stands out."""
SHORT_LINE_WORDS = 3
STATE_WORDS = 4
"""Longest state of a thing: `covered in shavings`."""

_SPEECH = re.compile(r'^.{1,60}? said: "(.*)"$', re.DOTALL)
_TALKED = re.compile(r"^\S.{0,60}? talked with .{1,80}? at \d\d:\d\d about (.*)$", re.DOTALL)
_MET = re.compile(
    r"^\S.{0,80}? (?:had no time to talk with .{1,80}|talked with .{1,80} in a round of \d+|often sees .{1,80} these days)\.?$"
)
_PLAN = re.compile(r"^\S+'s plan for ")
_FAILED = re.compile(r"^\S.{0,60}? could not do this\b")
_THING = re.compile(r"^(?:The|A|An) [^.!?]{1,120}? (?:is|are) (?![a-z]+ing\b)([^.!?]{1,60})[.!?]?$")
_DOING = re.compile(r"^[A-Z][\w'’-]*(?: [A-Z][\w'’-]*){0,3} is ([a-z]+ing)\b([^.!?]*)[.!]?$")
_NAMED = re.compile(r"(?<=[a-z,;:] )(?!I\b)[A-Z][a-z]+")
_ADDRESS = re.compile(r", (?:my )?(?:love|dear|darling|friend)\b")
_NUMBER = re.compile(r"\d")


@dataclass(frozen=True)
class _Rules:
    weight: tuple[tuple[int, frozenset[str]], ...]
    verbs: frozenset[str]
    company: frozenset[str]
    passing: frozenset[str]
    arrangement: frozenset[str]


@cache
def _rules() -> _Rules:
    data = tomllib.loads(resources.files("npc_server").joinpath("data/importance.toml").read_text(encoding="utf-8"))

    def stems(words: list[str]) -> frozenset[str]:
        return frozenset().union(*map(words_of, words))

    return _Rules(
        tuple((int(level), stems(words)) for level, words in data["weight"].items()),
        stems(data["everyday"]["verbs"]) | stems(sorted(instinct.verbs())),
        stems(data["everyday"]["company"]),
        stems(data["passing"]["words"]),
        stems(data["arrangement"]["words"]),
    )


def by_rules(text: str, doings: Collection[str] = ()) -> tuple[int, bool]:
    """Importance from 1 to 10, and whether the rules are sure of it. `doings` are telling words of what the town's things are for."""
    text = text.strip()
    said = _SPEECH.match(text)
    if said:
        return _of_speech(said.group(1))
    if is_plan(text):
        return 5, True  # as the reference rates every plan, without asking
    if _FAILED.match(text):
        return 4, True
    if _MET.match(text):
        return 3, True
    talked = _TALKED.match(text)
    if talked:
        about = _heavy(words_of(talked.group(1)))
        return (3, True) if talked.group(1).startswith("this and that") else (max(4, about), False)
    thing = _THING.match(text)
    if thing and len(thing.group(1).split()) <= STATE_WORDS:
        return _of_thing(text, thing.group(1))
    doing = _DOING.match(text)
    if doing:
        return _of_doing(text, doing.group(1), doings)
    return max(3, _heavy(words_of(text))), False


def is_plan(text: str) -> bool:
    """Whether it is what somebody planned for a day."""
    return bool(_PLAN.match(text))


def _heavy(words: set[str]) -> int:
    """Of the word that weighs most; 0 when none stands out."""
    ours = next((level for level, known in _rules().weight if words & known), 0)
    return max(ours, next((level for level, known in instinct.heavy_words() if words & known), 0))


def _of_speech(said: str) -> tuple[int, bool]:
    words = words_of(_ADDRESS.sub("", said))
    heavy = _heavy(words)
    if heavy:
        return heavy, False
    count = len(said.split())
    if words & _rules().arrangement or _NUMBER.search(said):
        return 5, False
    if count <= SHORT_LINE_WORDS or (words and len(words & _rules().passing) * 3 >= len(words) and count <= SAID_IN_PASSING_WORDS):
        return 1, True
    if _NAMED.search(said) or count > SAID_IN_PASSING_WORDS:
        return 4, False
    return 2, True


def _of_thing(text: str, state: str) -> tuple[int, bool]:
    heavy = _heavy(words_of(state))
    if heavy:
        return heavy, False
    return (4, True) if state.strip() == "empty" else (instinct.importance(text) if instinct.importance(text) == 1 else 2, True)


def _of_doing(text: str, verb: str, doings: Collection[str]) -> tuple[int, bool]:
    heavy = _heavy(words_of(text))
    if heavy:
        return heavy, False
    stems = words_of(verb)
    if stems & _rules().company:
        return 3, True
    return (2, True) if stems & _rules().verbs or stems & set(doings) else (3, False)
