"""What an NPC knows of itself and of the people it knows, in its own words."""

from __future__ import annotations

import re

from npc_server import clock
from npc_server.english.first_person import in_first_person
from npc_server.english.text import ended, sentences
from npc_server.instinct.news import is_secret
from npc_server.mind.instinct import INTERVIEWER
from npc_server.mind.mind import Mind
from npc_server.personas.names import forms
from npc_server.records import GameTime, MemoryKind, MemorySource

_LEAST_WORDS = 3
"""Least words of a sentence that is cut short."""
SIGHTINGS_SEARCHED = 2000
"""Newest memories about somebody that are searched for the last sight of them."""


def as_told(mind: Mind, text: str, to: str) -> str:
    """A memory's text in the first person, as the NPC tells it to somebody."""
    return ended(in_first_person(text, own_names(mind), names_of_other(mind, to), list(mind.names.values())))


def names_of_other(mind: Mind, who: str) -> tuple[str, ...]:
    """All forms of another's name in memories; none for an interviewer, who has no name."""
    return () if who == INTERVIEWER else forms(mind.name_of(who))


def own_names(mind: Mind) -> tuple[str, ...]:
    """All forms of the NPC's name in memories."""
    return (*forms(mind.persona.name), mind.persona.first_name)


# ---- the NPC itself


def _until_unclear_pronoun(told: str) -> str:
    """A sentence in the first person, cut before a "she" or "his" that may mean the NPC."""
    unsure = re.search(r"\b(he|she|him|her|his|hers)\b", told)
    if not told.startswith(("I ", "My ")) or not unsure:
        return told
    ends = (found.start() for found in _ENDS.finditer(told[: unsure.start()]))
    end = next((end for end in ends if len(told[:end].split()) >= _LEAST_WORDS), None)
    return told if end is None else ended(told[:end])


_ENDS = re.compile(r"[,;]| (?:as|because|and|who|which|when|that|if) ")


def about_me(mind: Mind, asker: str) -> str:
    """The first phrase of the identity that is no secret, in the first person."""
    open_ = (phrase for phrase in mind.persona.identity_phrases if not is_secret(mind.persona, phrase, MemoryKind.SEED))
    return _until_unclear_pronoun(as_told(mind, next(open_, ""), asker))


def on_my_mind(mind: Mind, asker: str) -> str:
    """What occupies it these days, in the first person; empty where that may be a secret."""
    current = mind.currently or mind.persona.currently
    if not current.strip() or is_secret(mind.persona, current, MemoryKind.SEED):
        return ""
    return _until_unclear_pronoun(as_told(mind, sentences(current)[0], asker))


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
    name = mind.name_of(who)
    for memory in sorted(mind.stream.about(name, SIGHTINGS_SEARCHED), key=lambda memory: memory.id, reverse=True):
        if memory.source is MemorySource.SEEN and memory.address in mind.world and memory.address:
            return f"{clock.ago(memory.created, now)}, near {mind.world.describe(memory.address)}"
    return ""
