"""What an NPC remembers of whom it talks with: whether they met, and what they told."""

from __future__ import annotations

from collections.abc import Iterator

from npc_server import clock
from npc_server.english.text import TALKED_WITH, quoted
from npc_server.mind.mind import Mind
from npc_server.records import GameTime, Memory, MemoryKind, MemoryTopic

LATEST = 5000
"""Newest memories that are searched."""
EARLIER = 30 * clock.MINUTE
"""Game seconds after which what was said belongs to an earlier talk, and not to the one that goes on."""


def has_met(mind: Mind, asker: str, now: GameTime) -> bool:
    """Whether it remembers an earlier talk with the asker."""
    return any(True for _ in _of(mind, asker, now))


def latest_told(mind: Mind, asker: str, now: GameTime) -> str:
    """What weighs most of what the asker said in earlier talks, in their own words; empty if nothing is remembered."""
    said = [it for it in _of(mind, asker, now) if it.topic is MemoryTopic.SAID and it.source_person == asker]
    best = max(said, key=lambda memory: (memory.importance, memory.id), default=None)
    return quoted(best.text) if best is not None else ""


def _of(mind: Mind, asker: str, now: GameTime) -> Iterator[Memory]:
    """Memories of earlier talks with the asker."""
    latest = mind.stream.latest(LATEST, (MemoryKind.CONVERSATION,))
    earlier = (memory for memory in latest if memory.created <= now - EARLIER)
    return (it for it in earlier if it.source_person == asker or (it.predicate == TALKED_WITH and it.object == asker))
