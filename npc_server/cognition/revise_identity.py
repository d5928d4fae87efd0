"""Each morning's revision of the identity: what to remember of yesterday, how one feels, what is current, what today asks for.

This follows *Generative Agents* (section 4.3, appendix A, and `revise_identity` in its code), in one question. What yesterday asked for
ends here.
"""

from __future__ import annotations

from npc_server import clock
from npc_server.english.text import ended
from npc_server.llm.reply import one
from npc_server.mind import appointments, mood
from npc_server.mind.ask import ask
from npc_server.mind.mind import Mind
from npc_server.mind.replies import Identity
from npc_server.mind.retrieve import as_lines, on_topic
from npc_server.records import GameTime, MemoryKind, Source

MEMORIES = 12


async def revise_in_between(mind: Mind, now: GameTime) -> None:
    """Revises the identity after a reflection, but not more often than every `mind.identity_hours`."""
    if now >= mind.identity.revised + mind.settings.identity_hours * clock.HOUR:
        await revise(mind, now)


async def renew(mind: Mind, now: GameTime) -> None:
    """Revises the identity if a memory that it was drawn from was edited or deleted since."""
    if mind.npc in mind.reflecting.outdated:
        mind.reflecting.outdated = tuple(who for who in mind.reflecting.outdated if who != mind.npc)
        await revise(mind, now)


async def revise(mind: Mind, now: GameTime) -> None:
    """Renews `mind.identity`, which every prompt shows until the next time. Instinct keeps to the persona's file.

    The model is asked only if there is something to revise from: a conclusion, an intention, or what is agreed for today.
    """
    since, mind.identity.revised, mind.identity.grounds = mind.identity.revised, now, ()
    baseline = mind.answerer.singly
    if baseline:
        await baseline.revise_identity(mind, mind.instinct.identity(mind, appointments.of_today(mind, now), now).currently, now)
        return
    today = appointments.of_today(mind, now)
    if not today and not _has_concluded(mind, since):
        mind.identity.currently = mind.instinct.identity(mind, today, now).currently
        return
    matters = f"What matters to {mind.persona.first_name} now, and what was important yesterday?"
    found = await on_topic(mind, "identity", matters, now, MEMORIES)
    answer = await ask(
        mind,
        "identity",
        one(Identity),
        lambda: mind.instinct.identity(mind, today, now),
        now,
        max_tokens=200,
        may_wait=True,
        memories=as_lines(mind, found, now),
        today=today,
    )
    revised = answer.value
    # Of itself instinct thinks what the persona's file says, which stands in every prompt anyway.
    thought = (revised.nature, revised.work, revised.feeling) if answer.source is Source.MODEL else ()
    mind.identity.grounds = tuple(it.memory.id for it in found)
    mind.identity.summary = " ".join(map(ended, thought))
    mind.identity.currently = revised.currently
    if answer.source is Source.MODEL:
        mind.feelings.mood = mood.named(mind.feelings.mood, revised.mood, now)


def _has_concluded(mind: Mind, since: GameTime) -> bool:
    """Whether it has come to a conclusion, or taken up an intention, since the last revision."""
    latest = mind.stream.latest(1, (MemoryKind.REFLECTION, MemoryKind.INTENTION))
    return bool(latest) and latest[0].created >= since
