"""Appointments: what was agreed on in talks, kept as steps that go before the plan of the day."""

from __future__ import annotations

from npc_server import clock
from npc_server.mind.instinct import Invitation
from npc_server.mind.mind import Mind
from npc_server.personas import routine
from npc_server.records import GameTime, PlanLevel, PlanOrigin, PlanStatus, PlanStep

EARLY = 10 * clock.MINUTE
"""Game seconds before the start at which people set out."""


def keep(mind: Mind, found: Invitation, activity: str, now: GameTime, early: int = EARLY) -> bool:
    """Puts an invitation into the plan. False if the NPC has another appointment then, or sleeps."""
    start = max(now, found.start - early)
    if routine.is_asleep_at(mind.persona, found.start):
        return False
    if any(step.start < found.end and start < step.end for step in coming(mind, now)):
        return False
    step = PlanStep(mind.npc, 0, PlanLevel.HOUR, 0, start, found.end, activity, found.address, origin=PlanOrigin.AGREED)
    mind.add_steps([step])
    return True


def coming(mind: Mind, now: GameTime) -> list[PlanStep]:
    """Appointments that are not over, by start."""
    live = (PlanStatus.AHEAD, PlanStatus.ACTIVE)
    return sorted(
        (s for s in mind.plan if s.origin is PlanOrigin.AGREED and s.end > now and s.status in live),
        key=lambda s: s.start,
    )


def of_today(mind: Mind, now: GameTime) -> list[str]:
    """Today's appointments, as prompts list them: `16:50 going to the party`."""
    return [f"{clock.hhmm(step.start)} {step.text}" for step in coming(mind, now) if mind.day_of(step.start) == mind.day_of(now)]


def due(mind: Mind, now: GameTime) -> PlanStep | None:
    """The appointment in progress, if any."""
    return next((step for step in coming(mind, now) if step.start <= now), None)
