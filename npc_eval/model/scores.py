"""Scoring replies: simple rules over texts and numbers that a person can check by eye."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from npc_server.english.unknown_words import plain

DONT_KNOW = (
    "don't know",
    "do not know",
    "dont know",
    "don't rightly know",
    "didn't see",
    "never saw",
    "no idea",
    "not sure",
    "can't say",
    "cannot say",
    "could not say",
    "couldn't say",
    "can't tell",
    "cannot tell",
    "couldn't tell",
    "could not tell",
    "don't remember",
    "do not remember",
    "don't recall",
    "do not recall",
    "can't remember",
    "can't recall",
    "no clue",
    "not a clue",
    "wish i knew",
    "if only i knew",
    "nobody told me",
    "no one told me",
    "nobody said",
    "haven't heard",
    "have not heard",
    "never heard",
    "never learned",
    "never asked",
    "not that i know",
    "i wouldn't know",
    "would not know",
    "beats me",
    "who knows",
    "hard to say",
    "have to ask",
    "unknown to me",
    "i'm unaware",
    "no knowledge",
    "have no answer",
    "that i know not",
    "know nothing",
    "don't have that information",
)
"""Phrases of a reply that admits not to know."""


def contains(text: str, wanted: str) -> bool:
    """Whether a text contains some words from the start of a word on: `ring` is in `rings`, but not in `spring`."""
    return re.search(rf"(?<!\w){re.escape(plain(wanted))}", plain(text)) is not None


def any_of(text: str, wanted: Iterable[str]) -> str:
    """The first of `wanted` that a text contains; empty when there is none."""
    return next((words for words in wanted if contains(text, words)), "")


def admits_ignorance(text: str, own: Collection[str] = ()) -> bool:
    """Whether a reply admits not to know, in common words or in the persona's own (`own`)."""
    said = plain(text)
    return any(phrase in said for phrase in (*DONT_KNOW, *(plain(line) for line in own)))


def ranks(values: Sequence[float]) -> list[float]:
    """Ranks from 1. Equal values share their mean rank."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    found = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end + 1 < len(order) and values[order[end + 1]] == values[order[start]]:
            end += 1
        for i in order[start : end + 1]:
            found[i] = (start + end) / 2 + 1
        start = end + 1
    return found


def spearman(a: Sequence[float], b: Sequence[float]) -> float:
    """Spearman's rank correlation from -1 to 1; 0 when all values of one side are equal. Raises ValueError for unequal lengths."""
    if len(a) != len(b):
        raise ValueError(f"{len(a)} values against {len(b)}")
    x, y = ranks(a), ranks(b)
    n = len(x)
    if n < 2:
        return 0.0
    mean = (n + 1) / 2
    top = sum((p - mean) * (q - mean) for p, q in zip(x, y, strict=True))
    below = (sum((p - mean) ** 2 for p in x) * sum((q - mean) ** 2 for q in y)) ** 0.5
    return top / below if below else 0.0


def supported(text: str, cited: Collection[int], supports: Sequence[tuple[Sequence[str], Collection[int]]]) -> bool:
    """Whether most of an insight's evidence is among the memories on its subject."""
    fitting = [set(numbers) for words, numbers in supports if any_of(text, words)]
    if not fitting or not cited:
        return False
    good = set().union(*fitting) & set(cited)
    return 2 * len(good) > len(set(cited))
