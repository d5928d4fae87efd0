"""Tokens of a text for `first_person`, with each name merged into one token."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from npc_server.english.first_person_verbs import listed

ME, YOU, OTHER = "me", "you", "other"
_TOKEN = re.compile(r"\"[^\"]*\"?|“[^”]*”?|[^\W_]+(?:[-'’][^\W_]+)*")
_ENDS = re.compile(r"[.!?…\n]")
_ABBREVIATED = frozenset(("mr", "mrs", "ms", "dr", "st", "sgt", "capt", "lt", "col", "prof"))


@dataclass
class Token:
    """A word with the text before it. A whole name is one token, and so is a quotation."""

    before: str
    word: str
    who: str = ""
    possessive: str = ""
    """The `'s` after a name."""
    is_known: bool = False
    """Whether it is one of the given names."""
    is_done: bool = False

    @property
    def lower(self) -> str:
        return self.word.lower().replace("’", "'")

    @property
    def text(self) -> str:
        return f"{self.before}{self.word}{self.possessive}"


@dataclass(frozen=True)
class _Name:
    words: tuple[str, ...]
    gaps: tuple[list[str], ...]
    """The text between the words."""
    who: str

    def at(self, tokens: Sequence[Token], at: int) -> bool:
        there = tokens[at : at + len(self.words)]
        if len(there) < len(self.words):
            return False
        words = [token.word for token in there]
        words[-1] = _split(words[-1])[0]
        return tuple(words) == self.words and all(token.before.split() == gap for token, gap in zip(there[1:], self.gaps, strict=True))


@dataclass(frozen=True)
class Names:
    """Names to look for in texts."""

    first: dict[str, list[_Name]]
    """By the first word of each name, the longest names first."""
    ours: tuple[_Name, ...]
    """Those of the speaker and the listener."""

    def may_be_ours(self, text: str) -> bool:
        """A cheap test whether a text may name the speaker or the listener."""
        return any(all(word in text for word in name.words) for name in self.ours)

    def at(self, tokens: Sequence[Token], at: int) -> _Name | None:
        return next((name for name in self.first.get(_split(tokens[at].word)[0], ()) if name.at(tokens, at)), None)


@lru_cache(256)
def names_of(me: tuple[str, ...], you: tuple[str, ...], others: tuple[str, ...]) -> Names:
    known = dict.fromkeys(others, OTHER) | dict.fromkeys(you, YOU) | dict.fromkeys(me, ME)
    first: dict[str, list[_Name]] = {}
    ours = []
    for spelled, who in known.items():
        tokens, _ = tokenize(spelled)
        if not tokens:
            continue
        name = _Name(tuple(token.word for token in tokens), tuple(token.before.split() for token in tokens[1:]), who)
        first.setdefault(_split(name.words[0])[0], []).append(name)
        if who != OTHER:
            ours.append(name)
    for names in first.values():
        names.sort(key=lambda name: -len(name.words))
    return Names(first, tuple(ours))


def tokenize(text: str) -> tuple[list[Token], str]:
    """The tokens of a text, and the text after the last one."""
    found, end = [], 0
    for match in _TOKEN.finditer(text):
        found.append(Token(text[end : match.start()], match[0]))
        end = match.end()
    return found, text[end:]


def starts_sentence(tokens: Sequence[Token], at: int) -> bool:
    """Whether a sentence starts here."""
    if at == 0:
        return True
    before, gap = tokens[at - 1], tokens[at].before
    if gap.startswith(".") and before.lower in _ABBREVIATED:
        return False
    return bool(_ENDS.search(gap)) or (before.word[0] in '"“' and bool(_ENDS.search(before.word[-2:])))


def merge_names(tokens: Sequence[Token], names: Names) -> list[Token]:
    """The tokens with each name merged into one: known names, and other words that look like names."""
    found, at = [], 0
    while at < len(tokens):
        name = names.at(tokens, at)
        if name is None and not _like_a_name(tokens, at):
            found.append(tokens[at])
            at += 1
            continue
        end, who = (at + len(name.words), name.who) if name else (at + 1, OTHER)
        while not _split(tokens[end - 1].word)[1] and _like_a_name(tokens, end) and tokens[end].before == " ":
            end, who = end + 1, OTHER
        word, whose = _split(tokens[at].word + "".join(token.text for token in tokens[at + 1 : end]))
        found.append(Token(tokens[at].before, word, who, whose, is_known=name is not None))
        at = end
    return found


def _split(word: str) -> tuple[str, str]:
    """A word, and the `'s` at its end."""
    return (word[:-2], word[-2:]) if word[-2:] in ("'s", "’s") else (word, "")


def _like_a_name(tokens: Sequence[Token], at: int) -> bool:
    if at >= len(tokens) or not tokens[at].word[0].isupper():
        return False
    word = _split(tokens[at].lower)[0]
    if listed(word, "calendar") or word == "i" or word.startswith("i'"):
        return False
    kinds = ("opening", "clause", "preposition", "determiner", "pronoun", "adverb", "auxiliary", "modal")
    return not ((listed(word, *kinds) or word.endswith("ly")) and starts_sentence(tokens, at))
