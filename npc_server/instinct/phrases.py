"""Phrases for small talk, from `data/small_talk.toml`. A persona's own lines go before them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from npc_server.data_files import read_toml

REACTIONS = ("surprise", "known", "outing", "accepts", "declines", "well", "dont_know")
"""The lines that answer something, and need no answer."""


@cache
def _lines() -> Mapping[str, tuple[str, ...]]:
    return {bank: tuple(said) for bank, said in read_toml("small_talk.toml")["lines"].items()}


def lines(bank: str) -> tuple[str, ...]:
    """Lines by their name in the file: `greetings`, `farewells`, `smalltalk`, `surprise` ..."""
    return _lines()[bank]


def is_reaction(text: str) -> bool:
    """Whether a line is only a common answer to something, such as "Is that so?"."""
    return any(text in lines(bank) for bank in REACTIONS)
