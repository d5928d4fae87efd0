"""Words of a text that come from nowhere: names and numbers that are neither in what is known nor common English.

No meaning is read. Two word lists do it: common words that name nobody (`data/common_words.txt`, by hand), and the stems of all words of
some 5,000 talks, days and reactions in 22 worlds (`data/english_stems.txt`).
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache, lru_cache

from npc_server.data_files import read_words
from npc_server.english.number_words import SMALL, TENS
from npc_server.english.stems import stem
from npc_server.english.text import sentences

_VALUES = {**SMALL, **TENS, "hundred": 100, "thousand": 1000, "dozen": 12, "noon": 12}
_IDIOMS = frozenset(("zero", "one", "two", "three", "noon"))
"""Number words that are often used without counting."""
SHORTEST_PART = 3
"""Letters of a part of a word that is put together, at least."""
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_NUMBER = re.compile(r"\d+")
_CLOCK = re.compile(r"\b(\d{1,2}):(\d{2})\b")
_ENDINGS = ("ing", "est", "ed", "er", "es", "ly", "s", "y")


def plain(text: str) -> str:
    """A text for comparison: lower case, straight apostrophes, single spaces."""
    return " ".join(text.replace("’", "'").casefold().split())


def unknown_words(text: str, known: str) -> list[str]:
    """Names and numbers in a line that are neither in `known` (the prompt) nor common English."""
    words = {plain(word) for word in _WORD.findall(known)} | {_bare(plain(word)) for word in _WORD.findall(known)}
    numbers = _numbers_in(known)
    strange: list[str] = []
    for number, word in ((number, word) for sentence in sentences(text) for number, word in enumerate(_WORD.findall(sentence))):
        bare = _bare(plain(word))
        value = _VALUES.get(bare)
        counted = value is not None and bare not in _IDIOMS and bare not in words
        may_name = word[:1].isupper() and value is None and not _is_known(bare, words) and not (number == 0 and _is_english(bare))
        if (counted and value not in numbers) or may_name:
            strange.append(word)
    strange += [number for number in _NUMBER.findall(text) if int(number) not in numbers]
    return list(dict.fromkeys(strange))


@lru_cache(maxsize=16384)
def _is_english(word: str) -> bool:
    """Whether a word, or each part of one that is put together such as `flowerpot`, is English."""
    known = english_stems()
    cuts = range(SHORTEST_PART, len(word) - SHORTEST_PART + 1)
    return stem(word) in known or any(stem(word[:cut]) in known and stem(word[cut:]) in known for cut in cuts)


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
    return read_words("common_words.txt")


@cache
def english_stems() -> frozenset[str]:
    """Stems of English words, as `stems.stem` makes them."""
    return read_words("english_stems.txt")
