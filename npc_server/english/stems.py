"""Stems: the one stemmer, and the stems of a text's content words. Instinct compares texts by them."""

from __future__ import annotations

import re
import threading
from functools import cache, lru_cache
from typing import Any

from snowballstemmer import stemmer

from npc_server.data_files import read_words
from npc_server.english.text import without_possessive

_WORD = re.compile(r"[a-z]+")
_WORD_OR_NUMBER = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_NOT = re.compile(r"n['’]t$")
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


@lru_cache(maxsize=16384)
def telling_stems(text: str) -> frozenset[str]:
    """The stems of the words that tell something: without all those of `data/stop_words.txt`."""
    words = (without_possessive(word) for word in _WORD_OR_NUMBER.findall(text.casefold()) if not _NOT.search(word))
    return frozenset(stem(word) for word in words if word not in stop_words())


@cache
def stop_words() -> frozenset[str]:
    """Words that tell nothing by themselves."""
    return read_words("stop_words.txt")


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
