"""Seeded draws from the banks, with a share of their content held out of the training text.

A bank is a list of lines in `banks/content` or `banks/style`. In a line, `{name}` is a given value or a draw from the bank of that
name. `[one|other]` is a choice. A line of a content bank belongs either to training or to the held-out split, and so does every
invented word.
"""

from __future__ import annotations

import hashlib
import math
import random
import re
from collections.abc import Mapping, Sequence
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from ruamel.yaml import YAML

T = TypeVar("T")
FOLDER = Path(__file__).parent / "banks"
HELD_OUT_ONE_IN = 8
"""One of so many lines of a content bank, and of so many invented words, is held out."""
FEWEST_TO_SPLIT = 6
"""Both splits use all of a shorter list, such as the seasons."""
BRIEF = 0.6
"""Share of the samples with a short prompt."""
WHOLE = frozenset({"weekday", "weather", "season", "colour", "kin", "secretword", "quality"})
"""Common words that both splits use."""
_CHOICE = re.compile(r"\[([^\[\]]*\|[^\[\]]*)\]")
_VALUE = re.compile(r"\{(\w+)\}")
_ARTICLE = re.compile(r"\b([Aa]) (?=[aeiou])")
_ONSETS = [
    "b",
    "c",
    "d",
    "f",
    "g",
    "h",
    "j",
    "k",
    "l",
    "m",
    "n",
    "p",
    "r",
    "s",
    "t",
    "v",
    "w",
    "z",
    "br",
    "cr",
    "dr",
    "gr",
    "pr",
    "st",
    "tr",
    "sh",
    "ch",
    "th",
    "kl",
    "fl",
    "bl",
]
_VOWELS = ["a", "e", "i", "o", "u", "ai", "ea", "ou", "ee"]
_CODAS = ["", "", "n", "r", "l", "s", "th", "ck", "m", "nd", "x", "rn"]


class Split(str, Enum):
    TRAIN = "train"
    HELD_OUT = "held-out"


@cache
def content() -> dict[str, Any]:
    """All content banks by name."""
    return _load("content")


@cache
def style() -> dict[str, Any]:
    """All style banks by name: voices and phrases of replies, which are never held out."""
    return _load("style")


@cache
def tales() -> dict[str, Any]:
    """Hand-written passages, by world."""
    return _load("tales")


def _load(folder: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for path in sorted((FOLDER / folder).glob("*.yaml")):
        for name, bank in YAML(typ="safe").load(path.read_text(encoding="utf-8")).items():
            if name in found:
                raise ValueError(f"two banks are called {name!r}; rename the one in {path.name}")
            found[name] = bank
    return found


def _rank(bank: str, line: str) -> str:
    return hashlib.blake2b(f"{bank}\x1f{line}".encode(), digest_size=8).hexdigest()


@cache
def _halves(bank: str, lines: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Lines for training, and lines held out. A short or common list is both."""
    if bank in WHOLE or len(lines) < FEWEST_TO_SPLIT:
        return lines, lines
    held = set(sorted(lines, key=lambda line: _rank(bank, line))[: math.ceil(len(lines) / HELD_OUT_ONE_IN)])
    return tuple(line for line in lines if line not in held), tuple(line for line in lines if line in held)


def of_split(bank: str, lines: Sequence[str], split: Split) -> tuple[str, ...]:
    train, held = _halves(bank, tuple(lines))
    return train if split is Split.TRAIN else held


def is_held_out_word(word: str) -> bool:
    return int(_rank("word", word.lower()), 16) % HELD_OUT_ONE_IN == 0


class Draw:
    """A stream of draws of one split. The same seed gives the same draws."""

    def __init__(self, seed: int | str, split: Split = Split.TRAIN, brief: float = BRIEF) -> None:
        self.rng = random.Random(f"{split.value}/{seed}")
        self.split = split
        self.brief = self.rng.random() < brief
        """Whether prompts are short, which teaches the same for less. The others are as long as in play."""

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def number(self, low: int, high: int) -> int:
        return self.rng.randint(low, high)

    def few(self, low: int, high: int) -> int:
        """A number from `low` to `high`, or to a quarter of that range in a brief sample."""
        return self.number(low, low + (high - low) // 4 if self.brief else high)

    def one(self, items: Sequence[T]) -> T:
        return items[self.rng.randrange(len(items))]

    def some(self, items: Sequence[T], count: int) -> list[T]:
        return self.rng.sample(list(items), min(count, len(items)))

    def shuffled(self, items: Sequence[T]) -> list[T]:
        return self.rng.sample(list(items), len(items))

    def line(self, bank: str, lines: Sequence[str] | None = None) -> str:
        """A raw line of a content bank, or of `lines` that are split as `bank`."""
        return self.one(of_split(bank, content()[bank] if lines is None else lines, self.split))

    def bank(self, bank: str, /, **values: str) -> str:
        return self.fill(self.line(bank), **values)

    def said(self, lines: Sequence[str], /, **values: str) -> str:
        """One of several phrases, filled in."""
        return self.fill(self.one(lines), **values)

    def word(self, low: int = 2, high: int = 3) -> str:
        """An invented word of `low` to `high` syllables, capitalized."""
        while True:
            parts = [
                self.one(_ONSETS) + self.one(_VOWELS) + (self.one(_CODAS) if i == 0 or self.chance(0.4) else "")
                for i in range(self.number(low, high))
            ]
            word = "".join(parts)
            if is_held_out_word(word) == (self.split is Split.HELD_OUT):
                return word.capitalize()

    def fill(self, text: str, /, **values: str) -> str:
        """The text with its choices made and its values filled in. `{x_c}` is the value of `x`, capitalized."""
        while "[" in text:
            chosen = _CHOICE.sub(lambda found: self.one(found[1].split("|")), text)
            if chosen == text:
                break
            text = chosen
        return _ARTICLE.sub(r"\1n ", _VALUE.sub(lambda found: self._value(found[1], values), text))

    def _value(self, name: str, given: Mapping[str, str]) -> str:
        if name in given:
            return given[name]
        if name.endswith("_c"):
            return capital(self._value(name[:-2], given))
        if name == "W":
            return self.word()
        if name == "w":
            return self.word().lower()
        if name == "number":
            return str(self.number(2, 60))
        if name == "time":
            return self.time()
        if name == "p":
            return self.line("given") if self.chance(0.6) else self.word(2, 2)
        return self.fill(self.line(name))

    def time(self) -> str:
        hour, minute = self.number(6, 21), self.one((0, 0, 0, 30, 15, 45))
        if self.chance(0.75):
            return f"{hour:02}:{minute:02}"
        return f"{(hour - 1) % 12 + 1} {'am' if hour < 12 else 'pm'}"


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]
