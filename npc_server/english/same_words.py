"""Whether a text says what was said: the share of its words that stand in another text in the same order. No meaning is read."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from npc_server.english.text import words_in

SAME_WORDS = 0.85
"""Share of a text's words from which on another text says it."""


def said_in(text: str, lines: Sequence[str]) -> float:
    """How much of a text's words the likest line has in the same order, from 0 to 1."""
    return max((_share(words_in(text), words_in(line)) for line in lines), default=0.0)


def says_the_same(text: str, line: str) -> bool:
    """Whether each of two texts says the other: neither only quotes a part of it."""
    one, other = words_in(text), words_in(line)
    return min(_share(one, other), _share(other, one)) > SAME_WORDS


def _share(words: Sequence[str], other: Sequence[str]) -> float:
    matcher = SequenceMatcher(None, words, other, autojunk=False)
    return sum(block.size for block in matcher.get_matching_blocks()) / len(words) if words else 0.0
