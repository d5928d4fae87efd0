"""Rates everyday memories by rules, and says whether the rules are sure.

The rules recognise sights, small talk and ordinary states of objects. The model rates everything else, and whatever has unusual words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from npc_server.data_files import read_toml
from npc_server.english.stems import stems_of
from npc_server.english.text import quoted
from npc_server.instinct import act
from npc_server.mind.places import Everyday
from npc_server.records import MemoryTopic

SAID_IN_PASSING_WORDS = 14
"""The most words in a line that counts as small talk when no word in it stands out."""
SHORT_LINE_WORDS = 3
"""The most words in a line that states nothing when it has no content words."""
UNKNOWN_WORDS = 1
"""The most words in small talk that are not everyday words."""
NO_TOWN = Everyday()
STATE_WORDS = 4
"""The most words in an object's state: `covered in shavings`."""

_OF_TOPIC = {MemoryTopic.PLAN: 5, MemoryTopic.FAILED: 4, MemoryTopic.MET: 3, MemoryTopic.SMALL_TALK: 3, MemoryTopic.OWN_DEEDS: 2}
"""The importance of topics whose words do not matter. The reference code gives 5 to every plan, too."""
_THING = re.compile(r"^(?:(?:The|A|An)|[A-Z][\w-]*(?:['’]s|s['’])) [^.!?]{1,120}? (?:is|are) (?![a-z]+ing\b)([^.!?]{1,60})[.!?]?$")
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
    plain: frozenset[str]


@cache
def _rules() -> _Rules:
    data = read_toml("importance.toml")

    def stems(words: list[str]) -> frozenset[str]:
        return frozenset().union(*map(stems_of, words))

    return _Rules(
        tuple((int(level), stems(words)) for level, words in data["weight"].items()),
        stems(data["everyday"]["verbs"]) | stems(sorted(act.everyday_verbs())),
        stems(data["everyday"]["company"]),
        stems(data["passing"]["words"]),
        stems(data["arrangement"]["words"]),
        stems(data["plain"]["words"]),
    )


def by_rules(text: str, town: Everyday = NO_TOWN, topic: MemoryTopic = MemoryTopic.OTHER) -> tuple[int, bool]:
    """Returns the importance from 1 to 10, and whether the rules are sure. `town` holds its everyday objects and activities."""
    text = text.strip()
    if topic is MemoryTopic.SAID:
        return _of_speech(quoted(text), town)
    if topic in _OF_TOPIC:
        return _OF_TOPIC[topic], True
    thing = _THING.match(text)
    if thing and len(thing.group(1).split()) <= STATE_WORDS:
        return _of_thing(text, thing.group(1), town)
    doing = _DOING.match(text)
    if doing:
        return _of_doing(text, doing.group(1), town)
    return max(3, weight_of(text)), False


def is_ordinary_state(text: str) -> bool:
    """Returns whether the text says that an object is in an ordinary state."""
    thing = _THING.match(text.strip())
    return thing is not None and thing.group(1).strip().lower() in act.mundane_states()


def is_deed(text: str) -> bool:
    """Returns whether the text says what somebody is doing."""
    return bool(_DOING.match(text.strip()))


def weight_of(text: str) -> int:
    """Returns the importance of the most important word; 0 when none stands out."""
    return _weight_of(stems_of(text))


def _weight_of(words: set[str]) -> int:
    ours = next((level for level, known in _rules().weight if words & known), 0)
    return max(ours, next((level for level, known in act.important_words() if words & known), 0))


def _of_speech(said: str, town: Everyday) -> tuple[int, bool]:
    words = stems_of(_ADDRESS.sub("", said))
    heavy = _weight_of(words)
    if heavy:
        return heavy, False
    count = len(said.split())
    if words & _rules().arrangement or _NUMBER.search(said):
        return 5, False
    words -= _rules().plain
    passing = words & _rules().passing
    if words <= passing:
        return (1, True) if passing or count <= SHORT_LINE_WORDS else (2, False)
    if _NAMED.search(said) or count > SAID_IN_PASSING_WORDS:
        return 4, False
    known = passing | words & (_rules().verbs | _rules().company | town.doings | town.names)
    return 2, bool(known) and len(words - known) <= UNKNOWN_WORDS


def _of_thing(text: str, state: str, town: Everyday) -> tuple[int, bool]:
    heavy = _weight_of(stems_of(state))
    if heavy:
        return heavy, False
    state = state.strip()
    if state == "empty":
        return 4, True
    if is_ordinary_state(text):
        return 1, True
    return (2, True) if state in town.states else (3, False)


def _of_doing(text: str, verb: str, town: Everyday) -> tuple[int, bool]:
    # What people talk about does not happen here. An NPC that hears of it has a memory of that line.
    before, about, _ = text.partition(" about ")
    talks = bool(about) and bool(stems_of(before) & _rules().company)
    heavy = _weight_of(stems_of(before if talks else text))
    if heavy:
        return heavy, False
    stems = stems_of(verb)
    if talks or stems & _rules().company:
        return 3, True
    return (2, True) if stems & (_rules().verbs | town.doings) else (3, False)
