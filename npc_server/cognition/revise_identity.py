"""Each morning's revision of the identity: what to remember of yesterday, how one feels, what is current, what today asks for.

Generative Agents, section 4.3, appendix A and its code's `revise_identity`; here in one question. What was asked of yesterday ends with it.
"""

from __future__ import annotations

from npc_server import clock
from npc_server.baseline import morning as reference
from npc_server.english.text import clipped, ended
from npc_server.llm.reply import one
from npc_server.mind import appointments
from npc_server.mind.ask import ask
from npc_server.mind.mind import Mind
from npc_server.mind.replies import Identity
from npc_server.mind.retrieve import as_lines, on_topic
from npc_server.records import GameTime, MemoryKind, Source

MEMORIES = 12
WORTH_KEEPING = 6
"""Least importance of what instinct carries into a new day; what one overhears by the way is 5."""


async def revise_in_between(mind: Mind, now: GameTime) -> None:
    """After a reflection: who one is follows from what one has understood, but nobody becomes another every hour."""
    if now >= mind.revised + mind.settings.identity_hours * clock.HOUR:
        await revise(mind, now)


async def revise(mind: Mind, now: GameTime) -> None:
    """Renews `mind.summary` and `mind.currently`, which every prompt shows until the next time. Instinct keeps to the persona's file."""
    mind.revised = now
    if not mind.settings.uses("fuller_calls"):
        await reference.revise(mind, _plain(mind, appointments.of_today(mind, now), now), now)
        return
    matters = f"What matters to {mind.persona.first_name} now, and what was important yesterday?"
    found = await on_topic(mind, "identity", matters, now, MEMORIES)
    today = appointments.of_today(mind, now)
    answer = await ask(
        mind,
        "identity",
        one(Identity),
        lambda: _suggested(mind, today, now),
        now,
        max_tokens=200,
        may_wait=True,
        memories=as_lines(mind, found, now),
        today=today,
    )
    revised = answer.value
    # Of itself instinct thinks what the persona's file says, which stands in every prompt anyway.
    thought = (revised.nature, revised.work, revised.feeling) if answer.source is Source.MODEL else ()
    mind.summary = " ".join(thought)
    mind.currently = revised.currently


def _suggested(mind: Mind, today: list[str], now: GameTime) -> Identity:
    persona = mind.persona
    nature = f"{persona.first_name} is {' and '.join(persona.traits) or 'as ever'}."
    work = persona.identity_phrases[0] if persona.identity_phrases else f"{persona.first_name} lives from day to day."
    feeling = f"{persona.first_name} takes things as they come."
    return Identity(clipped(nature, 120), clipped(work, 120), feeling, clipped(_plain(mind, today, now), 300))


def _plain(mind: Mind, today: list[str], now: GameTime) -> str:
    """What the persona had on its mind, the most important thing since yesterday, and today's appointments."""
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
