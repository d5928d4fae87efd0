"""Told: what the others said in a talk, kept as their claims, and what follows from it for the plan (Generative Agents, section 4.3.2)."""

from __future__ import annotations

from collections.abc import Sequence

from npc_server.cognition.importance import rate
from npc_server.mind import appointments, relationships
from npc_server.mind.mind import Mind
from npc_server.mind.surroundings import named_places
from npc_server.personas.names import first_name
from npc_server.records import GameTime, Memory, MemoryKind, MemorySource, MemoryTopic, Talk

FAMILY = 8
"""Closeness from which on one goes to whatever the other gives."""


def claims_of(talk: Talk, speaker: str, found: Sequence[str]) -> list[str]:
    """What is known of a speaker's lines, and `found` where there are lines of which it is not known."""
    lines = [line for line in talk.lines if line.speaker == speaker]
    known = [claim for line in lines for claim in line.claims or ()]
    return known + [fact for fact in found if fact not in known] if any(line.claims is None for line in lines) else known


async def believe(
    mind: Mind,
    speaker: str,
    claims: Sequence[str],
    talk: Talk,
    now: GameTime,
    importance: Sequence[int] = (),
    triples: Sequence[tuple[str, str, str]] = (),
    topic: MemoryTopic = MemoryTopic.OTHER,
) -> list[Memory]:
    """Claims become memories of what `speaker` told, not facts; an invitation among them becomes an appointment.

    `importance` and `triples` are for each claim, where they are known.
    """
    known = {memory.text.casefold() for memory in mind.stream.latest(500)}
    once = {claim.casefold(): i for i, claim in reversed(list(enumerate(claims)))}
    numbers = [i for folded, i in reversed(once.items()) if folded not in known]
    fresh = [claims[i] for i in numbers]
    told, topics = (mind.name_of(speaker), "told", mind.persona.first_name), [topic] * len(fresh)
    made = await mind.remember(
        fresh,
        kind=MemoryKind.CONVERSATION,
        at=now,
        importance=[importance[i] for i in numbers] if importance else await rate(mind, fresh, now, topics=topics),
        source=MemorySource.TOLD,
        triples=[triples[i] if triples else told for i in numbers],
        address=talk.place,
        source_person=speaker,
        topics=topics,
    )
    for claim in fresh:
        follow(mind, claim, speaker, now)
    return made


def follow(mind: Mind, text: str, speaker: str, now: GameTime) -> bool:
    """What follows from an invitation: an appointment, unless the NPC does not care to go. True when it goes."""
    found = mind.instinct.invitation(text, now, named_places(mind))
    if found is None or not found.address:
        return False
    people = [speaker, *(npc for npc, name in mind.names.items() if first_name(name) in text)]
    close = max(relationships.closeness(mind, person) for person in people)
    # Family goes; of friends most, of strangers few, each in their own way.
    if close < FAMILY and mind.seed_for("goes", text) % 10 >= close + 2:
        return False
    return appointments.keep(mind, found, f"going to {found.occasion}", now)
