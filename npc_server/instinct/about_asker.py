"""What an NPC remembers of whom it talks with: whether they met, and what they told."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from npc_server.english.text import TALKED_WITH, quoted
from npc_server.mind.mind import Mind
from npc_server.records import Memory, MemoryKind, MemoryTopic

LATEST = 5000
"""Newest memories that are searched."""


def has_met(mind: Mind, asker: str, said: Collection[str] = ()) -> bool:
    """Whether it remembers more of the asker than the lines `said` in the talk that goes on.

    Hours tell nothing of that: while a game is closed its time stands still.
    """
    return any(quoted(memory.text) not in said for memory in _of(mind, asker))


def latest_told(mind: Mind, asker: str) -> str:
    """What weighs most of what the asker said, in their own words; empty if nothing is remembered."""
    told = [it for it in _of(mind, asker) if it.topic is MemoryTopic.SAID and it.source_person == asker]
    best = max(told, key=lambda memory: (memory.importance, memory.id), default=None)
    return quoted(best.text) if best is not None else ""


def _of(mind: Mind, asker: str) -> Iterator[Memory]:
    """Memories of talks with the asker."""
    latest = mind.stream.latest(LATEST, (MemoryKind.CONVERSATION,))
    return (it for it in latest if it.source_person == asker or (it.predicate == TALKED_WITH and it.object == asker))
