"""Revising the identity without a model: the persona's file, yesterday's most important event, today's appointments."""

from __future__ import annotations

from collections.abc import Sequence

from npc_server import clock
from npc_server.english.text import clipped, ended
from npc_server.mind.mind import Mind
from npc_server.mind.replies import Identity
from npc_server.records import GameTime, MemoryKind

WORTH_KEEPING = 6
"""Least importance of an event that is carried into a new day. Overheard lines have 5."""


def identity(mind: Mind, today: Sequence[str], now: GameTime) -> Identity:
    persona = mind.persona
    nature = f"{persona.first_name} is {' and '.join(persona.traits) or 'as ever'}."
    work = persona.identity_phrases[0] if persona.identity_phrases else f"{persona.first_name} lives from day to day."
    feeling = f"{persona.first_name} takes things as they come."
    return Identity(clipped(nature, 120), clipped(work, 120), feeling, clipped(_plain(mind, today, now), 300))


def _plain(mind: Mind, today: Sequence[str], now: GameTime) -> str:
    """What the persona is occupied with, the most important event since yesterday, and today's appointments."""
    parts = [mind.persona.currently] if mind.persona.currently else []
    recent = [
        memory
        for memory in mind.stream.latest(200)
        if memory.created >= now - clock.DAY
        and memory.importance >= WORTH_KEEPING
        and memory.kind not in (MemoryKind.PLAN, MemoryKind.SEED)
    ]
    if recent:
        parts.append(ended(max(recent, key=lambda m: (m.importance, m.id)).text))
    if today:
        parts.append(f"Today: {', '.join(today)}.")
    text = " ".join(parts) or f"{mind.persona.first_name} has nothing special in mind."
    return text[:300].replace("|", "/")
