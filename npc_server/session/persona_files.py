"""Persona files that were read before: reading one takes a twentieth of a second, and a save has them again each time it is opened."""

from __future__ import annotations

from functools import lru_cache
from threading import Lock

from npc_server.personas.schema import Persona, load_persona
from npc_server.records import Document

_one_at_a_time = Lock()
"""Who wants a file that is just being read waits for it instead of reading it, too."""


def persona_of(document: Document, town_id: str) -> Persona:
    """As `load_persona`. Blocks: call it from a thread."""
    with _one_at_a_time:
        return _read(document, town_id)


@lru_cache(maxsize=256)
def _read(document: Document, town_id: str) -> Persona:
    return load_persona(document, town_id)


def forget() -> None:
    """As in a server that just started."""
    _read.cache_clear()
