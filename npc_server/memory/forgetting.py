"""Forgetting by importance: everyday memories that nobody ever thought of again go first (Lyfe Agents, arXiv 2310.02172).

A stream below its limit forgets nothing. Above it goes only what is everyday, old, never retrieved, and what no insight rests on.
"""

from __future__ import annotations

from collections.abc import Collection

from npc_server import clock
from npc_server.memory.stream import MemoryStream
from npc_server.records import GameTime, Memory, MemoryKind, MemorySource, MemoryTopic

EVERYDAY = 4
"""Highest importance that can be forgotten. Overheard lines have 5, insights at least 4."""
OLD_S = 2 * clock.DAY
"""Game seconds after which a memory counts as old. Reflection and Social Memory look back less far."""
PORTION = 500
"""Memories forgotten in one thought. Removing them takes some 20 ms."""
_FORGETTABLE = (MemoryKind.OBSERVATION, MemoryKind.CONVERSATION, MemoryKind.PLAN)
_KEPT_SOURCES = (MemorySource.TOLD, MemorySource.KNOWN)
_KEPT_TOPICS = (MemoryTopic.SAID, MemoryTopic.ASKED, MemoryTopic.ANSWERED, MemoryTopic.CALLED)
"""Lines between a player and the NPC, and what the NPC did for them."""


def to_forget(stream: MemoryStream, kept: int, people: Collection[str], now: GameTime, most: int = PORTION) -> list[int]:
    """Ids of the memories to forget so that `kept` remain: the least important first, of those the oldest; at most `most`.

    `people` are the ids and names of all NPCs. What others told the NPC is never forgotten, because it may be a promise; nor is anything
    that has to do with a player, or that the game gave it.
    """
    surplus = min(len(stream) - kept, most)
    if surplus <= 0:
        return []
    cited = {number for insight in stream.latest(len(stream), (MemoryKind.REFLECTION,)) for number in insight.evidence}
    known = frozenset(name.casefold() for name in people)
    found = [
        memory
        for memory in stream.everyday(_FORGETTABLE, EVERYDAY, now - OLD_S)
        if memory.id not in cited and memory.source not in _KEPT_SOURCES and not memory.key and not _concerns_player(memory, known)
    ]
    found.sort(key=lambda memory: (memory.importance, memory.id))
    return [memory.id for memory in found[:surplus]]


def _concerns_player(memory: Memory, people: Collection[str]) -> bool:
    """Whether a line of a talk with a player stands in it, or somebody who is no NPC."""
    if memory.topic in _KEPT_TOPICS:
        return True
    if memory.kind is MemoryKind.CONVERSATION and memory.object.casefold() not in people:
        return True
    return memory.source_person != "" and memory.source_person.casefold() not in people
