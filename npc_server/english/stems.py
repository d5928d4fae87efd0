"""The one stemmer, and the telling words of a text without their endings: what instinct compares."""

from __future__ import annotations

import re
import threading
from functools import lru_cache
from typing import Any

from snowballstemmer import stemmer

_WORD = re.compile(r"[a-z]+")
_EMPTY_WORDS = frozenset(
    "a an and at for from in into is of on or some something the their to up with her his its my off out".split()  # noqa: SIM905
)

_OWN = threading.local()


def words_of(text: str) -> set[str]:
    """The telling words of a text, without their endings."""
    return set(telling(text))


@lru_cache(maxsize=16384)
def telling(text: str) -> tuple[str, ...]:
    """The same in their order, kept: the names of things and actions are asked about for every deed of every day."""
    return tuple(stem(word) for word in _WORD.findall(text.lower()) if word not in _EMPTY_WORDS)


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A word in small letters without its endings, by Porter's English stemmer: `part` of `parting`, `parti` of `party` and `parties`."""
    found: str = _stemmer().stemWord(word)
    return found


def _stemmer() -> Any:
    """One for each thread: a stemmer keeps its word while it works on it."""
    if not hasattr(_OWN, "stemmer"):
        _OWN.stemmer = stemmer("english")
    return _OWN.stemmer
