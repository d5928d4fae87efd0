"""Persona files that were read before: reading one takes a thirtieth of a second, and a save has them again each time it is opened."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from threading import Lock

from npc_server.errors import BadInput
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


def read_ahead(documents: Sequence[Document], town_id: str) -> None:
    """Reads the persona files of a slot that is being opened, while its file is checked and copied. What is wrong in them is told later."""
    with suppress(BadInput):
        for document in documents:
            persona_of(document, town_id)
