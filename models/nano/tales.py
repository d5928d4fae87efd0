"""Tales: sentences written by hand, each of another shape, with questions in many words and others that they leave open.

A grammar repeats itself; how people really put things has to be written. Each file of `banks/tales` is a world.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from models.nano.draw import Draw, capital, tales
from models.nano.grammar import Passage, with_certainty
from npc_server.english.text import words_in

KEY = "tale"
"""Of what is asked of a tale."""
_MINE = frozenset({"i", "me", "my", "mine", "we", "us", "our", "ours"})


@cache
def _by_sentence(own: bool) -> Mapping[str, Mapping[str, Any]]:
    """Tales by their sentence; those that people tell of themselves only where `own`."""
    every = {tale["say"]: tale for bank in tales().values() for tale in bank}
    return every if own else {said: tale for said, tale in every.items() if not is_own(said)}


def is_own(text: str) -> bool:
    """Whether it is told by the one who remembers it."""
    return not _MINE.isdisjoint(words_in(text))


def tale(draw: Draw, a: str, b: str, own: bool) -> Passage:
    """A tale about `a` and `b`, or about nobody; `own` may be one that somebody tells of oneself."""
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
