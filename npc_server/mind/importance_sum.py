"""The sum of importance since the last reflection. When it reaches a threshold, a reflection is due (Generative Agents, section 4.2).

The paper's prompts call importance "poignancy". A mind keeps the sum in `Mind.reflecting`, and the save stores it under that name.
`cognition.reflect` asks whether a reflection is due, and starts the sum again. With `mind.rule_importance` a talk that is overheard counts
once, by its weightiest line: in a full room people would else reflect seven times a day. What they are told themselves counts in full.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice, takewhile
from typing import TYPE_CHECKING

from npc_server import clock
from npc_server.records import Memory, MemoryKind, MemorySource

if TYPE_CHECKING:
    from npc_server.mind.mind import Mind

COUNTED = (MemoryKind.OBSERVATION, MemoryKind.CONVERSATION, MemoryKind.INTENTION)
"""Kinds of memories that add to the sum. Plans and insights come from the mind itself and do not."""
ONE_TALK_S = 10 * clock.MINUTE
"""Game seconds that count as one talk. The longest talk of two has eight lines of half a minute."""
LOOKED_THROUGH = 200
"""Latest memories among which those of the same talk are looked for."""


def add(mind: Mind, made: Sequence[Memory]) -> None:
    """Adds the importance of memories that were made just now, if they count."""
    rest = {memory.id for memory in made}
    for memory in made:
        if memory.kind in COUNTED:
            mind.reflecting.importance_since += max(0, memory.importance - _counted_already(mind, memory, rest))
        rest.discard(memory.id)


def correct(mind: Mind, memory: Memory, after: int) -> None:
    """Changes the sum when a memory's importance is rated again."""
    already = _counted_already(mind, memory, {memory.id})
    mind.reflecting.importance_since = max(0, mind.reflecting.importance_since + max(after, already) - max(memory.importance, already))


def subtract_conversations(mind: Mind, memories: Iterable[Memory]) -> None:
    """Takes the importance of conversations out of the sum when a player undoes a line."""
    gone = sum(memory.importance for memory in memories if memory.kind is MemoryKind.CONVERSATION)
    mind.reflecting.importance_since = max(0, mind.reflecting.importance_since - gone)


def reaches_threshold(mind: Mind) -> bool:
    """Whether the sum reaches the setting `mind.reflection_threshold`."""
    return mind.reflecting.importance_since >= mind.settings.reflection_threshold


def reset(mind: Mind) -> None:
    """Starts the sum again at 0, when a reflection begins."""
    mind.reflecting.importance_since = 0


def talks_once(mind: Mind, memories: Sequence[Memory]) -> list[Memory]:
    """The memories in the same order, without all but the weightiest of the lines that were overheard in the same ten minutes."""
    best: dict[str, Memory] = {}
    for memory in memories:
        talk = _talk(mind, memory) if memory.source is MemorySource.HEARD else ""
        if talk:
            best[talk] = max(best.get(talk, memory), memory, key=lambda it: it.importance)
    kept = {memory.id for memory in best.values()}
    return [memory for memory in memories if memory.id in kept or memory.source is not MemorySource.HEARD or not _talk(mind, memory)]


# ---- parts


def _talk(mind: Mind, memory: Memory) -> str:
    """The talk that a memory counts with: what NPCs were overheard saying in the same ten minutes. Empty for none."""
    if not mind.settings.uses("rule_importance") or memory.source_person in mind.talks.players:
        return ""
    heard = memory.kind is MemoryKind.OBSERVATION and memory.source is MemorySource.HEARD
    return f"overheard {memory.created // ONE_TALK_S}" if heard else ""


def _counted_already(mind: Mind, memory: Memory, without: set[int]) -> int:
    """The highest importance of the other memories of the same talk; 0 for a memory that counts by itself."""
    talk = _talk(mind, memory)
    if not talk:
        return 0
    # A perception may come a little late, so the memory before the first one of the talk does not always end it.
    least = memory.created - 2 * ONE_TALK_S
    latest = takewhile(lambda it: it.created >= least or it.key, islice(mind.stream.newest((memory.kind,)), LOOKED_THROUGH))
    heard = (it for it in latest if it.source is MemorySource.HEARD and it.id not in without)
    return max((it.importance for it in heard if _talk(mind, it) == talk), default=0)
