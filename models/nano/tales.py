"""Passages written by hand, with questions that they answer and others that they do not.

A grammar repeats itself, so varied sentences have to be written. Each file of `banks/tales` is a world.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from models.nano.draw import Draw, capital, tales
from models.nano.grammar import Passage, with_certainty
from npc_server.english.text import words_in

KEY = "tale"
"""Key of every question about a hand-written passage."""
_MINE = frozenset({"i", "me", "my", "mine", "we", "us", "our", "ours"})


@cache
def _by_sentence(own: bool) -> Mapping[str, Mapping[str, Any]]:
    """The passages by their sentence. Those in the first person only with `own`."""
    every = {tale["say"]: tale for bank in tales().values() for tale in bank}
    return every if own else {said: tale for said, tale in every.items() if not is_own(said)}


def is_own(text: str) -> bool:
    """Whether a text is in the first person."""
    return not _MINE.isdisjoint(words_in(text))


def tale(draw: Draw, a: str, b: str, own: bool) -> Passage:
    """A passage about `a` and `b`, or about nobody. With `own` it may be in the first person."""
    known = _by_sentence(own)
    found = known[draw.line("tales", tuple(known))]

    def put(text: str) -> str:
        return draw.fill(text, a=a, b=b)

    text = put(found["say"])
    asks = tuple(
        (KEY, capital(put(draw.one(ask["q"]))), with_certainty(draw, put(ask["a"]), text.rstrip(".")), put(ask["a"]))
        for ask in found["asks"]
    )
    people = tuple(name for slot, name in (("{a}", a), ("{b}", b)) if slot in found["say"])
    unsaid = tuple(capital(put(question)) for question in found["unsaid"])
    return Passage(text, text, asks, people, found["say"], unsaid, is_own(found["say"]))
