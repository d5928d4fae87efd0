"""What follows inside a mind when a memory is edited or deleted from outside.

Insights that rest on it are in doubt: they no longer come to mind, but stay in the save. Summaries that were drawn from it are dropped, and
drawn anew in the next thought (`Reflecting.outdated`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from npc_server.memory.stream import MemoryStream
from npc_server.mind import relationships
from npc_server.mind.mind import Mind
from npc_server.records import NEVER, Memory, MemoryKind, Social


def concluded_from(stream: MemoryStream, ids: Collection[int]) -> list[Memory]:
    """Every insight that rests on one of these memories, directly or through another insight; the oldest first."""
    grounds, found = set(ids), list[Memory]()
    for insight in reversed(stream.latest(len(stream), (MemoryKind.REFLECTION,))):
        if insight.id not in grounds and not grounds.isdisjoint(insight.evidence):
            grounds.add(insight.id)
            found.append(insight)
    return found


def in_doubt(mind: Mind, grounds: Sequence[Memory], what: str) -> list[Memory]:
    """The insights that rest on these memories, marked. `what` was done with them: `edited` or `deleted`.

    Those in doubt already are left out.
    """
    found: dict[int, Memory] = {}
    for ground in grounds:
        for insight in concluded_from(mind.stream, [ground.id]):
            if not insight.doubt:
                found.setdefault(insight.id, replace(insight, doubt=f"It rests on memory {ground.id}, which was {what}."))
    return list(found.values())


def outdate(mind: Mind, gone: Sequence[Memory]) -> dict[str, Social]:
    """Drops from the mind what was drawn from these memories, as they were. Returns the changed Social Memory.

    The stream stays as it is. Of a relationship the summary goes, and what the two are to each other stays.
    """
    ids, texts = {memory.id for memory in gone}, {memory.text for memory in gone}
    socials = {
        who: replace(kept, between="", upto=0)
        for who, kept in mind.relationships.social.items()
        if any(relationships.includes(mind, kept, memory) for memory in gone)
    }
    mind.relationships.social.update(socials)
    renewed = list(socials)
    is_intended = any(memory.kind is MemoryKind.INTENTION and memory.text in mind.identity.currently for memory in gone)
    if is_intended or not ids.isdisjoint(mind.identity.grounds) or any(text in mind.identity.currently for text in texts):
        mind.identity.summary, mind.identity.currently, mind.identity.grounds, mind.identity.revised = "", "", (), NEVER
        renewed.append(mind.npc)
    mind.reflecting.outdated = tuple(dict.fromkeys((*mind.reflecting.outdated, *renewed)))
    mind.reflecting.unrated = [text for text in mind.reflecting.unrated if text not in texts]
    if mind.feelings.mood.cause in texts:
        mind.feelings.mood = replace(mind.feelings.mood, cause="")
    mind.talks.chat = None  # Its notes may show the memory.
    return socials
