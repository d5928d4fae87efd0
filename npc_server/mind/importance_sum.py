"""The sum of importance since the last reflection. When it reaches a threshold, a reflection is due (Generative Agents, section 4.2).

The paper's prompts call importance "poignancy". A mind keeps the sum in `Mind.importance_since`, and the save stores it under that name.
`cognition.reflect` asks whether a reflection is due, and starts the sum again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from npc_server.records import Memory, MemoryKind

if TYPE_CHECKING:
    from npc_server.mind.mind import Mind

COUNTED = (MemoryKind.OBSERVATION, MemoryKind.CONVERSATION, MemoryKind.INTENTION)
"""Kinds of memories that add to the sum. Plans and insights come from the mind itself and do not."""


def add(mind: Mind, kind: MemoryKind, importance: Sequence[int]) -> None:
    """Adds the importance of new memories of one kind, if that kind counts."""
    if kind in COUNTED:
        mind.importance_since += sum(importance)


def correct(mind: Mind, before: int, after: int) -> None:
    """Changes the sum when a memory's importance is rated again."""
    mind.importance_since = max(0, mind.importance_since + after - before)


def subtract_conversations(mind: Mind, memories: Iterable[Memory]) -> None:
    """Takes the importance of conversations out of the sum when a player undoes a line."""
    gone = sum(memory.importance for memory in memories if memory.kind is MemoryKind.CONVERSATION)
    mind.importance_since = max(0, mind.importance_since - gone)


def reaches_threshold(mind: Mind) -> bool:
    """Whether the sum reaches the setting `mind.reflection_threshold`."""
    return mind.importance_since >= mind.settings.reflection_threshold


def reset(mind: Mind) -> None:
    """Starts the sum again at 0, when a reflection begins."""
    mind.importance_since = 0
