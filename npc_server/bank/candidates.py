"""Candidates for a line: what several makers would say. One of them is said (`bank/ranking.py`)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from npc_server.english.text import words_in


class Maker(str, Enum):
    """Who made a candidate."""

    MEMORY = "memory"
    """Instinct, from what the speaker remembers."""
    INSTINCT = "instinct"
    """Instinct, where it remembers nothing: small talk, or that it does not know."""
    BANK = "bank"
    """The bank of hand-written exchanges."""
    WRITER = "writer"
    """Whoever wrote the example. Only candidates for judging have it."""


@dataclass(frozen=True)
class CandidateLine:
    """A line that could be said."""

    text: str
    maker: Maker
    nearness: float = 0.0
    """BANK: cosine of what was said and the nearest line of the entry."""
    temper: str = ""
    """BANK: the reply's temper."""
    temper_fit: float = 0.0
    """BANK: how well the temper suits the speaker, in standard deviations above what is usual."""
    topic: str = ""
    """BANK: the entry's topic."""
    slots: int = 0
    """BANK: how many of the speaker's facts it tells."""
    is_general: bool = False
    """BANK: whether it suits many lines of a kind, whatever they are about."""
    is_own_fact: bool = False
    """MEMORY: whether it surely answers and stands in the persona's file."""
    read_as: str = ""
    """MEMORY: the listener's own words, if it tells them. npc-answers and npc-rerank read these in place of its text."""


def each_once(candidates: Iterable[CandidateLine]) -> list[CandidateLine]:
    """Candidates without those that say the same words as an earlier one."""
    found: dict[tuple[str, ...], CandidateLine] = {}
    for it in candidates:
        found.setdefault(tuple(words_in(it.text)), it)
    return list(found.values())
