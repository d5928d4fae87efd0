"""Stems: the one stemmer, and the stems of a text's content words. Instinct compares texts by them."""

from __future__ import annotations

import re
import threading
from functools import lru_cache
from typing import Any

from snowballstemmer import stemmer

_WORD = re.compile(r"[a-z]+")
_STOP_WORDS = frozenset(
    "a an and at for from in into is of on or some something the their to up with her his its my off out".split()  # noqa: SIM905
)

_THREAD = threading.local()


def stems_of(text: str) -> set[str]:
    """The stems of a text's content words, as a set."""
    return set(content_stems(text))


@lru_cache(maxsize=16384)
def content_stems(text: str) -> tuple[str, ...]:
    """The same in their order. Cached, since the names of objects and actions are compared for every action."""
    return tuple(stem(word) for word in _WORD.findall(text.lower()) if word not in _STOP_WORDS)


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The stem of a word in lower case (Porter's English stemmer): `part` for `parting`, `parti` for `party` and `parties`."""
    found: str = _stemmer().stemWord(word)
    return found


def _stemmer() -> Any:
    """One for each thread, since a stemmer has state while it works."""
    if not hasattr(_THREAD, "stemmer"):
        _THREAD.stemmer = stemmer("english")
    return _THREAD.stemmer
