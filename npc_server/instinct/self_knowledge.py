"""What an NPC knows of itself and of the people it knows, in its own words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from npc_server import clock
from npc_server.english.about_oneself import is_clear
from npc_server.english.first_person import in_first_person
from npc_server.english.text import ended, sentences
from npc_server.instinct.news import is_secret
from npc_server.mind.instinct import INTERVIEWER
from npc_server.mind.mind import Mind
from npc_server.personas.names import forms, without_ids
from npc_server.records import GameTime, MemoryKind, MemorySource

_LEAST_WORDS = 3
"""Least words of a sentence that is cut short."""
_LEAST_SHARE = 0.5
"""And the least share of its words, where it is cut at no comma: "I want to know" is no part of "I want to know who she is"."""
SIGHTINGS_SEARCHED = 2000
"""Newest memories about somebody that are searched for the last sight of them."""


def as_told(mind: Mind, text: str, to: str) -> str:
    """A memory's text in the first person, as the NPC tells it to somebody."""
    return ended(spoken(mind, text, names_of_other(mind, to)))


def spoken(mind: Mind, text: str, to: Sequence[str]) -> str:
    """A text in the first person, as the NPC says it to somebody of the names `to`."""
    told = in_first_person(text, own_names(mind), to, list(mind.people.names.values()), mind.persona.gender)
    return without_ids(told, mind.people.names)


def names_of_other(mind: Mind, who: str) -> tuple[str, ...]:
    """All forms of another's name in memories; none for an interviewer, who has no name."""
    return () if who == INTERVIEWER else forms(mind.people.name_of(who), mind.people.first_name_of(who))


def own_names(mind: Mind) -> tuple[str, ...]:
    """All forms of the NPC's name in memories."""
    return (*forms(mind.persona.name, mind.persona.first_name), mind.people.name_of(mind.npc))


# ---- the NPC itself


def own_fact(mind: Mind, text: str, to: str) -> str:
    """A fact of the persona's file in the first person, as far as all of it is clear. Empty where nothing is: then it is not told.

    "Dorothea was courted by Wilf, before she married" ends before a "she" that may be Dorothea: "I was courted by Wilf."
    """
    told = as_told(mind, text.removeprefix(mind.persona.called), to)
    return _clear_part(told, own_names(mind), mind.persona.gender)


def _clear_part(told: str, me: Sequence[str], gender: str) -> str:
    if is_clear(told, me, gender):
        return told
    words = len(told.split())
    for end in reversed(list(_ENDS.finditer(told))):
        part, least = told[: end.start()].rstrip(",;"), _LEAST_WORDS if end[0] in ",;" else words * _LEAST_SHARE
        if len(part.split()) >= max(least, _LEAST_WORDS) and is_clear(part, me, gender):
            return ended(part)
    return ""


_ENDS = re.compile(r"[,;]| (?:as|because|and|when|if|before|where)(?= )")


def about_me(mind: Mind, asker: str) -> str:
    """The first phrase of the identity that is no secret, in the first person."""
    open_ = (phrase for phrase in mind.persona.identity_phrases if not is_secret(mind.persona, phrase, MemoryKind.SEED))
    return own_fact(mind, next(open_, ""), asker)


def on_my_mind(mind: Mind, asker: str) -> str:
    """What occupies it these days, in the first person; empty where that may be a secret."""
    current = mind.identity.currently or mind.persona.currently
    if not current.strip() or is_secret(mind.persona, current, MemoryKind.SEED):
        return ""
    return own_fact(mind, sentences(current)[0], asker)


def time_in_words(at: GameTime) -> str:
    """The time to a quarter of an hour: `a quarter past ten`."""
    minutes = at % clock.DAY // clock.MINUTE + 7
    hour, quarter = minutes // 60, minutes % 60 // 15
    name = _HOURS[(hour + (quarter == len(_QUARTERS) - 1)) % 12]
    return f"{_QUARTERS[quarter]}{name}"


_QUARTERS = ("", "a quarter past ", "half past ", "a quarter to ")
_HOURS = ("twelve", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven")


# ---- other people, and places


def plain_relation(relation: str) -> str:
    """A relation without what the file adds: `neighbour` for `neighbour, and the first friend she had`."""
    return re.sub(r"^(his|her|their|my) ", "", relation.split(",")[0].strip())


def last_seen(mind: Mind, who: str, now: GameTime) -> str:
    """When and where somebody was last seen: `20 minutes ago, near the pond`; empty if never."""
    name = mind.people.name_of(who)
    for memory in sorted(mind.stream.about(name, SIGHTINGS_SEARCHED), key=lambda memory: memory.id, reverse=True):
        if memory.source is MemorySource.SEEN and memory.address in mind.world and memory.address:
            return f"{clock.ago(memory.created, now)}, near {mind.world.describe(memory.address)}"
    return ""
