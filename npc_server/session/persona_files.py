"""Caches persona files that were read before. Reading one takes about 33 ms, and each opening of a save needs them all."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from threading import Lock

from npc_server.errors import BadInput
from npc_server.personas.schema import Persona, load_persona
from npc_server.records import Document

_one_at_a_time = Lock()
"""Held while a file is read, so that two threads do not read the same file twice."""


def persona_of(document: Document, town_id: str) -> Persona:
    """Reads a persona as `load_persona` does, or takes it from the cache. It blocks, so call it from a thread."""
    with _one_at_a_time:
        return _read(document, town_id)


@lru_cache(maxsize=256)
def _read(document: Document, town_id: str) -> Persona:
    return load_persona(document, town_id)


def forget() -> None:
    """Empties the cache."""
    _read.cache_clear()


def read_ahead(documents: Sequence[Document], town_id: str) -> None:
    """Fills the cache while the file of a slot is checked and copied. Mistakes in the files are reported later."""
    with suppress(BadInput):
        for document in documents:
            persona_of(document, town_id)
