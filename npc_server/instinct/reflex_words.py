"""Word lists of reflexes (`data/reflexes.toml`), and whether a sentence has an entry of them.

Words are compared as stems. Up to two other words may stand between those of an entry.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from npc_server.data_files import read_toml
from npc_server.english.stems import content_stems
from npc_server.mind.mind import Mind
from npc_server.records import Memory

GAP = 2
"""Most other words between two words of an entry."""
_WORD = re.compile(r"[a-z]+")
_WHOM = re.compile(r"(.+?) (?:is|are|was|were|has|have|had|looks?|lies|lay|fell|hangs|stands|sits|can|cannot|does|will)\b")
_ARTICLES = ("A ", "An ", "One of the ", "One of ")

Words = tuple[str, ...]
Phrases = tuple[Words, ...]


@dataclass(frozen=True)
class Rule:
    """Entries to look for (`see`) unless others are there (`but`), and what to do about them."""

    see: Phrases
    but: Phrases = ()
    do: str = ""
    minutes: int = 0


@dataclass(frozen=True)
class Lexicon:
    """The lists of words and the rules."""

    danger: tuple[Rule, ...]
    distress: Rule
    """What somebody shows who needs a word, and how they look."""
    speak: Phrases
    """That something is to be said or given to somebody, in memories about them."""
    away: Phrases
    """That somebody is left alone, in memories about them."""
    blocked: Phrases
    """That a thing is in use, or closed for a moment."""
    alone: tuple[Phrases, ...]
    """Things of which only one person can use one, each with what is done there."""


def own_name(mind: Mind) -> str:
    """The stem of the NPC's own first name."""
    return stem_of(mind.persona.first_name.lower())


def is_seen(rule: Rule, words: Words) -> bool:
    """Whether a rule applies to a sentence."""
    return matches(rule.see, words) and not matches(rule.but, words)


def entry_seen(rule: Rule, words: Words) -> Words:
    """The first entry of a rule that a sentence has; empty when it has none."""
    return next((entry for entry in rule.see if position_of(entry, words) >= 0), ())


def matches(phrases: Phrases, words: Words) -> bool:
    """Whether a sentence has one of the entries."""
    there = set(words)
    return any(position_of(entry, words) >= 0 for entry in phrases if entry[0] in there)


def position_of(entry: Words, words: Words) -> int:
    """The index at which an entry begins in a sentence; -1 for nowhere."""
    if entry[0] not in words or not set(entry) <= set(words):
        return -1
    for start, word in enumerate(words):
        if word == entry[0] and _goes_on(entry, words, start):
            return start
    return -1


def _goes_on(entry: Words, words: Words, at: int) -> bool:
    for word in entry[1:]:
        ahead = words[at + 1 : at + 2 + GAP]
        if word not in ahead:
            return False
        at += 1 + ahead.index(word)
    return True


@lru_cache(maxsize=4096)
def stems_in(text: str) -> Words:
    """The stems of all words of a text, in order."""
    return tuple(stem_of(word) for word in _WORD.findall(text.lower()))


@lru_cache(maxsize=8192)
def stem_of(word: str) -> str:
    """The stem of a content word; a stop word as it is."""
    return next(iter(content_stems(word)), word)


def content_words(words: Sequence[str]) -> list[str]:
    """The content words among them."""
    return [word for word in words if len(word) > 2 and content_stems(word)]


@cache
def lexicon() -> Lexicon:
    """The lists and rules of `data/reflexes.toml`."""
    data: dict[str, Any] = read_toml("reflexes.toml")
    danger = tuple(_rule(entry) for entry in data["danger"])
    speak, away, blocked = (_phrases(data[name]["see"]) for name in ("speak", "away", "blocked"))
    return Lexicon(danger, _rule(data["distress"]), speak, away, blocked, tuple(map(_phrases, data["alone"].values())))


def _rule(entry: dict[str, Any]) -> Rule:
    return Rule(_phrases(entry["see"]), _phrases(entry.get("but", "")), entry.get("do", ""), entry.get("minutes", 0))


def _phrases(text: str) -> Phrases:
    found = (tuple(part for word in entry.split() for part in (stems_in(word) or (word,))) for entry in text.split(","))
    return tuple(entry for entry in found if entry)


def subject_of(memory: Memory) -> str:
    """The subject of a memory's sentence: `Tobin`, `the small child`."""
    found = _WHOM.match(memory.text)
    if found is None or found[1] in ("Somebody", "Someone", "There", "It"):
        return "somebody" if found is None or found[1].startswith("Some") else "it"
    article = next((a for a in _ARTICLES if found[1].startswith(a)), "")
    return f"the {found[1][len(article) :]}" if article else _lowered(found[1])


def _lowered(text: str) -> str:
    start = text.partition(" ")[0]
    return (
        text[:1].lower() + text[1:] if start in ("The", "A", "An", "Her", "His", "My", "Some", "There", "It", "Somebody", "Two") else text
    )
