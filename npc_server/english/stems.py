"""The telling words of a text, without their endings: what instinct compares."""

from __future__ import annotations

import re
from functools import lru_cache

_WORD = re.compile(r"[a-z]+")
_EMPTY_WORDS = frozenset(
    "a an and at for from in into is of on or some something the their to up with her his its my off out".split()  # noqa: SIM905
)


def words_of(text: str) -> set[str]:
    """The telling words of a text, without their endings."""
    return set(telling(text))


@lru_cache(maxsize=16384)
def telling(text: str) -> tuple[str, ...]:
    """The same in their order, kept: the names of things and actions are asked about for every deed of every day."""
    return tuple(_stem(word) for word in _WORD.findall(text.lower()) if word not in _EMPTY_WORDS)


def _stem(word: str) -> str:
    for ending in ("ing", "es", "s", "ed", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    # "sitting" and "sit", "chatting" and "chat".
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz" else word
