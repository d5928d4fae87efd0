"""Puts pronouns in the place of the names of two who talk, so that "you" in a question and a name in a memory mean the same."""

from __future__ import annotations

import re
from collections.abc import Sequence


def with_pronouns(text: str, me: Sequence[str], you: Sequence[str] = ()) -> str:
    """The text with "I" or "my" for each of the names `me`, and "you" or "your" for each of `you`. Longer names come first.

    The rest of the sentence stays as it is ("I is a baker"): a model reads it, and nobody says it.
    """
    for names, pronoun, possessive in ((me, "I", "my"), (you, "you", "your")):
        for name in sorted(names, key=len, reverse=True):
            whole = rf"\b{re.escape(name)}"
            text = re.sub(rf"{whole}['’]s?(?!\w)", possessive, text)
            text = re.sub(rf"{whole}\b", pronoun, text)
    return text
