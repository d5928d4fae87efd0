"""What comes from nowhere in a small model's reply: a name, a number or a garbled word that its prompt does not have.

Everything that an NPC may know stands in the prompt. So this needs no rule about any question; it compares words.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from npc_server.english.unknown_words import garbled_words, unknown_words


def wrong(reply: object, prompt: str) -> str:
    """What is wrong with a reply, a record or several, given all that the model was shown; empty if nothing is."""
    for text in _texts(reply):
        if named := unknown_words(text, prompt):
            return f"names {named[0]!r}, of which nothing is known"
        if garbled := garbled_words(text, prompt):
            return f"has the word {garbled[0]!r}, which nobody uses"
    return ""


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _texts(item)
    elif is_dataclass(value):
        for item in fields(value):
            yield from _texts(getattr(value, item.name))
