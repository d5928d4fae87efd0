"""Own deeds: what the NPC itself did and planned is part of its memory stream (Generative Agents, sections 4.1 and 4.3).

The deeds of an hour are kept in `Mind.lifestyle`. When the hour is over they become one memory of low importance; no model is asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from npc_server import clock
from npc_server.mind.doing import OwnDeed
from npc_server.mind.mind import Mind
from npc_server.mind.named import without_name
from npc_server.mind.today import as_sentence
from npc_server.personas import routine
from npc_server.records import Address, GameTime, Memory, MemoryKind, MemorySource, MemoryTopic, NpcId, PlanLevel, PlanStatus, PlanStep

DEEDS_IMPORTANCE = 2
"""Importance of an hour's own deeds: everyday life, a little more than a state that never changes."""
HOUR_PLAN_IMPORTANCE = 1
"""Importance of an hour's plan. The day's plan, which it follows from, has more."""
GIVEN_UP_S = clock.MINUTE
"""Game seconds up to which somebody who did not arrive has not really set out."""
DID = "did"
"""Predicate of an hour's own deeds."""


def begin(mind: Mind, text: str, address: Address, now: GameTime, meets: Sequence[str] = ()) -> None:
    """Notes that the NPC sets out to do something, such as `Rosa is baking bread`, and whom it meets for it.

    This ends what it did before.
    """
    end(mind, now)
    told = without_name(mind, text).removeprefix("is ")
    if told != routine.ASLEEP:  # a night is not remembered as a deed
        mind.lifestyle.deeds = (*mind.lifestyle.deeds, OwnDeed(told, address, now, meets=tuple(meets)))


def begin_talk(mind: Mind, others: Sequence[NpcId], address: Address, now: GameTime) -> None:
    """Notes that the NPC talks with others where it is. This ends what it did before."""
    end(mind, now)
    names = " and ".join(mind.people.name_of(other) for other in others)
    mind.lifestyle.deeds = (*mind.lifestyle.deeds, OwnDeed(f"talking with {names}", address, now, arrived=True, talked_with=tuple(others)))


def arrive(mind: Mind, now: GameTime) -> None:
    """Notes that it has reached the place of what it set out to do."""
    if mind.lifestyle.deeds and not mind.lifestyle.deeds[-1].end and not mind.lifestyle.deeds[-1].arrived:
        mind.lifestyle.deeds = (*mind.lifestyle.deeds[:-1], replace(mind.lifestyle.deeds[-1], arrived=True, start=now))


def end(mind: Mind, now: GameTime, failure: str = "") -> None:
    """Ends what it is doing. `failure` says why it could not be done. What was given up at once is no deed."""
    if not mind.lifestyle.deeds or mind.lifestyle.deeds[-1].end:
        return
    over = replace(mind.lifestyle.deeds[-1], end=now or 1, failure=failure)
    given_up = not over.arrived and not failure and over.end - over.start <= GIVEN_UP_S
    mind.lifestyle.deeds = mind.lifestyle.deeds[:-1] if given_up else (*mind.lifestyle.deeds[:-1], over)


def cut_short(mind: Mind, now: GameTime) -> None:
    """Lets a talk that was to last longer end now."""
    if mind.lifestyle.deeds and mind.lifestyle.deeds[-1].end > now:
        mind.lifestyle.deeds = (*mind.lifestyle.deeds[:-1], replace(mind.lifestyle.deeds[-1], end=max(now, 1)))


async def remember(mind: Mind, now: GameTime) -> list[Memory]:
    """Makes one memory of the deeds that ended in an hour, when that hour is over or the NPC falls asleep.

    A deed that goes on is left for later. Returns the new memory, if there is one.
    """
    asleep = routine.is_asleep_at(mind.persona, now)
    over = tuple(deed for deed in mind.lifestyle.deeds if deed.end and (asleep or (deed.end - 1) // clock.HOUR < now // clock.HOUR))
    if not over:
        return []
    text = as_sentence(mind, over)
    mind.lifestyle.deeds = mind.lifestyle.deeds[len(over) :]
    return await mind.remember(
        [text],
        kind=MemoryKind.OBSERVATION,
        at=now,
        importance=[DEEDS_IMPORTANCE],
        source=MemorySource.SEEN,
        triples=[(mind.npc, DID, text)],
        address=over[-1].address,
        topics=[MemoryTopic.OWN_DEEDS],
    )


async def remember_plan(mind: Mind, first_new: int, now: GameTime) -> list[Memory]:
    """Makes one memory of each hour whose steps were planned just now: those from the id `first_new` on.

    Plans are part of the memory stream (GA, section 4.3). The reference keeps only the day's plan there (`cognition.plan`).
    """
    if mind.plan.next_id == first_new or not mind.settings.planning or mind.answerer.reference:
        return []
    fresh = [
        step for step in mind.plan.steps if step.id >= first_new and step.level is PlanLevel.STEP and step.status is not PlanStatus.DROPPED
    ]
    hours = [step for step in mind.plan.steps if step.level is PlanLevel.HOUR and any(it.parent == step.id for it in fresh)]
    texts = [_plan_of(mind, hour, [step for step in fresh if step.parent == hour.id]) for hour in hours]
    importance, topics = [HOUR_PLAN_IMPORTANCE] * len(texts), [MemoryTopic.PLAN] * len(texts)
    thought = MemorySource.THOUGHT
    return await mind.remember(texts, kind=MemoryKind.PLAN, at=now, importance=importance, source=thought, topics=topics)


def _plan_of(mind: Mind, hour: PlanStep, steps: Sequence[PlanStep]) -> str:
    """The steps of an hour as one sentence. What is done again and again is named once."""
    begins: dict[str, GameTime] = {}
    for step in steps:
        begins.setdefault(step.text, step.start)
    parts = "; ".join(f"{clock.hhmm(at)} {text}" for text, at in begins.items())
    start, end = clock.hhmm(steps[0].start), clock.hhmm(steps[-1].end)
    return f"{mind.persona.first_name}'s plan for {start}-{end}, {hour.text}: {parts}."
