"""Scoring replies: simple rules over texts and numbers that a person can check by eye."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import cache
from importlib import resources

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

_UNITS = "zero one two three four five six seven eight nine ten eleven twelve"
_TEENS = "thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
_NUMBERS = [*_UNITS.split(), *_TEENS.split()]
_TENS = {word: 10 * (i + 2) for i, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split())}  # noqa: SIM905
_VALUES = {**{word: i for i, word in enumerate(_NUMBERS)}, **_TENS, "hundred": 100, "thousand": 1000, "dozen": 12, "noon": 12}
_IDIOMS = frozenset(("zero", "one", "two", "three", "noon"))
"""Number words that are often used without counting."""
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_NUMBER = re.compile(r"\d+")
_CLOCK = re.compile(r"\b(\d{1,2}):(\d{2})\b")
_ENDINGS = ("ing", "est", "ed", "er", "es", "ly", "s", "y")


def plain(text: str) -> str:
    """A text for comparison: lower case, straight apostrophes, single spaces."""
    return " ".join(text.replace("’", "'").casefold().split())


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


def unknown_words(text: str, known: str) -> list[str]:
    """Names and numbers in a line that are neither in `known` (the prompt) nor in the list of common words."""
    words = {plain(word) for word in _WORD.findall(known)} | {_bare(plain(word)) for word in _WORD.findall(known)}
    numbers = _numbers_in(known)
    strange: list[str] = []
    for word in _WORD.findall(text):
        bare = _bare(plain(word))
        value = _VALUES.get(bare)
        counted = value is not None and bare not in _IDIOMS and bare not in words
        if (counted and value not in numbers) or (word[:1].isupper() and value is None and not _is_known(bare, words)):
            strange.append(word)
    strange += [number for number in _NUMBER.findall(text) if int(number) not in numbers]
    return list(dict.fromkeys(strange))


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


def _bare(word: str) -> str:
    """A word up to its apostrophe: `Mara's`, `I'll`; `not` for `don't`."""
    return "not" if word.endswith("n't") else word.split("'")[0]


def _is_known(word: str, words: Collection[str]) -> bool:
    common = common_words()
    if word in words or word in common:
        return True
    for ending in _ENDINGS:
        stem = word.removesuffix(ending)
        if stem != word and len(stem) >= 3 and any(form in words or form in common for form in (stem, stem + "e", stem[:-1])):
            return True
    return False


def _numbers_in(text: str) -> set[int]:
    found = {int(number) for number in _NUMBER.findall(text)}
    # 18:30 may be said as half past six.
    found |= {int(hour) % 12 or 12 for hour, _ in _CLOCK.findall(text)}
    values = [_VALUES[word] for word in (plain(w) for w in _WORD.findall(text)) if word in _VALUES]
    for before, value in zip([0, *values], values, strict=False):
        found |= {value, before * value, before + value}
    return found


@cache
def common_words() -> frozenset[str]:
    """Common words, which name nobody."""
    text = resources.files("npc_server").joinpath("data/eval/common_words.txt").read_text(encoding="utf-8")
    return frozenset(word for line in text.splitlines() if not line.startswith("#") for word in line.split())
