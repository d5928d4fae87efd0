"""Word lists for requests: those of `data/offers.toml`, and the words of an offer itself."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from npc_server.data_files import read_toml
from npc_server.english.stems import stem, stop_words
from npc_server.english.text import is_question, lowered, sentences
from npc_server.personas.schema import Offer

BARE_WORDS = 6
"""A line of at most so many words that names an option counts as a request: `A horseshoe.`"""
_CUES = ("asks", "perhaps", "feels", "thing")
_NOT_THIS = re.compile(r"\bnot (?:the |a |an |any |my |your )?\w+")
_COMMAND = re.compile(
    r"(?:(?:please|just|so|then|well|ok|okay|all right|alright|right|now|here|and|oh|hey|go on|quick|quickly),? )*"
    r"(?P<verb>[a-z]+)(?: (?:me|us|my|our|a|an|the|it|this|that|these|those|them|him|her|some|up|please|now|\d+)\b|[,.!]|$)"
)
_DECLINES = re.compile(r"(no|nope|nah|nay|neither|none|nothing)\b")


@dataclass(frozen=True)
class _OfferKind:
    about: frozenset[str]
    asks: tuple[frozenset[str], ...]
    feels: tuple[frozenset[str], ...]
    things: bool
    """Whether a request for any object counts, as in a shop."""


@dataclass(frozen=True)
class _Data:
    lines: Mapping[str, tuple[str, ...]]
    numbers: Mapping[str, int]
    lengths: Mapping[str, Mapping[str, int]]
    hearing: Mapping[str, re.Pattern[str]]
    empty: frozenset[str]
    kinds: tuple[_OfferKind, ...]


@dataclass(frozen=True)
class HeardLine:
    """What was read in a line."""

    text: str
    plain: str
    words: frozenset[str]
    cues: frozenset[str] = frozenset()
    """How it asks: `asks`, `perhaps`, `feels`, `thing`."""

    commands: frozenset[str] = frozenset()
    """Stems of the verbs at the start of its sentences: `Unlock the gate!`"""

    @property
    def short(self) -> bool:
        return len(self.plain.split()) <= BARE_WORDS and not self.plain.endswith("?")

    @property
    def leaves_it(self) -> bool:
        """Whether the line leaves the choice to the NPC."""
        return bool(data().hearing["any"].search(self.plain))

    def has(self, entries: Iterable[frozenset[str]]) -> bool:
        """Whether the line has all words of one of the entries."""
        return any(entry <= self.words for entry in entries)


@dataclass(frozen=True)
class OfferWords:
    """The words that ask for an offer, by where they come from."""

    own: tuple[frozenset[str], ...]
    described: frozenset[str]
    usual: tuple[frozenset[str], ...]
    feels: tuple[frozenset[str], ...]
    things: bool

    @property
    def all(self) -> tuple[frozenset[str], ...]:
        return (self.described, *self.own, *self.usual)


@cache
def data() -> _Data:
    file: dict[str, Any] = read_toml("offers.toml")
    patterns = {name: [found] if isinstance(found, str) else found for name, found in file["hearing"].items()}
    return _Data(
        {bank: tuple(said) for bank, said in file["lines"].items()},
        file["numbers"],
        file["lengths"],
        {name: re.compile("|".join(f"(?:{line})" for line in found)) for name, found in patterns.items()},
        stems_in(file["words"]["empty"]),
        tuple(
            _OfferKind(
                frozenset().union(*_entries(kind["about"])), _entries(kind["asks"]), _entries(kind.get("feels", "")), "things" in kind
            )
            for kind in file["kinds"]
        ),
    )


def lines(bank: str) -> tuple[str, ...]:
    """Lines to say: `done`, `sure`, `which`, `how_many`, `how_many_of`, `too_many` or `too_few`."""
    return data().lines[bank]


def read_line(text: str, answers: bool = False) -> HeardLine:
    """Reads a line, without sentences that decline. A short one that `answers` a question counts as a request."""
    hearing = data().hearing
    kept: list[str] = []
    cues: set[str] = set()
    for sentence in sentences(text):
        plain = _NOT_THIS.sub(" ", " ".join(lowered(sentence).split()))
        if hearing["not"].search(plain):
            continue
        kept.append(plain)
        cues |= {cue for cue in _CUES if hearing[cue].search(plain)}
    whole = " ".join(kept)
    if answers and kept and not is_question(kept[0]) and len(kept[0].split()) <= BARE_WORDS and not _DECLINES.match(whole):
        cues.add("asks")
    return HeardLine(text, whole, stems_in(whole), frozenset(cues), frozenset(filter(None, map(_commanded, kept))))


def declines(text: str) -> bool:
    """Whether a line turns something down."""
    return bool(_DECLINES.match(lowered(text)) or data().hearing["not"].search(lowered(text)))


def _commanded(plain: str) -> str:
    """The stem of the verb at the start of a sentence."""
    found = _COMMAND.match(plain)
    return stem(found["verb"]) if found else ""


@lru_cache(maxsize=1024)
def words_for(offer: Offer) -> OfferWords:
    """The words that ask for an offer, without those of its options."""
    words = data()
    name = telling_stems_in(offer.name.replace("_", " "))
    described = telling_stems_in(offer.description)
    counted = telling_stems_in(" ".join(it.name.replace("_", " ") for it in offer.parameters if it.type == "integer"))
    kinds = [kind for kind in words.kinds if kind.about & (name | described)]
    return OfferWords(
        (*(frozenset([word]) for word in name - words.empty), *(stems_in(line) for line in offer.words)),
        (described - words.empty) | counted,
        tuple(entry for kind in kinds for entry in kind.asks),
        tuple(entry for kind in kinds for entry in kind.feels),
        any(kind.things for kind in kinds),
    )


def _entries(line: str) -> tuple[frozenset[str], ...]:
    return tuple(stems_in(entry) for entry in line.split(",") if entry.strip())


@lru_cache(maxsize=4096)
def stems_in(text: str) -> frozenset[str]:
    """Stems of all words, stop words included: `cannot pay`."""
    text = re.sub(r"can't|can not", "cannot", text.casefold())
    return frozenset(stem(word) for word in re.findall(r"[^\W_]+", text.replace("'", " ")))


@cache
def filler_stems() -> frozenset[str]:
    """Stems of stop words and numbers."""
    return stems_in(" ".join([*stop_words(), *data().numbers, "please then some"]))


def telling_stems_in(text: str) -> frozenset[str]:
    """Stems of the words that tell something: without those of stop words."""
    return stems_in(text) - _stop_stems()


@cache
def _stop_stems() -> frozenset[str]:
    return stems_in(" ".join(stop_words()))
