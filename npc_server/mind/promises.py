"""Own promises, as prompts list them: which are still open, and which were not kept.

A promise that names an hour, as prompts ask for it, is looked up in the plan: the appointment at that hour tells what became of it.
"""

from __future__ import annotations

import re

from npc_server import clock
from npc_server.english.text import PROMISED, TALKED_WITH
from npc_server.mind import appointments
from npc_server.mind.mind import Mind
from npc_server.records import GameTime, Memory, MemoryKind, MemorySource, PlanLevel, PlanStatus, PlanStep

KEPT_S, SHOWN = 7 * clock.DAY, 3
"""Game seconds for which a talk's prompt shows a promise, and how many to one person it shows at most, the newest."""
PLANNED_S, PLANNED_SHOWN = 2 * clock.DAY, 5
"""Game seconds for which a day's plan shows a promise without an hour, and how many it shows at most, the newest."""
SEARCHED = 100
"""Latest memories among which promises are looked for."""
DAYS_AHEAD = 14
"""Days from a promise on among which its date is looked for."""
_HOUR = re.compile(r"\b([01]?\d|2[0-3]):([0-5]\d)\b")


def to(mind: Mind, other: str, now: GameTime) -> list[str]:
    """The NPC's latest open promises to somebody, oldest first, and those that it did not keep."""
    found = [
        f"({clock.ago(memory.created, now)}{', not kept' if is_over else ''}) {memory.text}"
        for memory in mind.stream.about(mind.people.name_of(other), SEARCHED)
        if memory.predicate == PROMISED and memory.created >= now - KEPT_S
        for is_over in [_is_over(mind, memory, now)]
        if not is_over or _was_missed(mind, memory)
    ]
    return found[:SHOWN][::-1]


def without_hour(mind: Mind, now: GameTime) -> list[str]:
    """Own promises of the last days that name no hour, as plans list them, the oldest first."""
    found = [
        f"({clock.ago(memory.created, now)}) {memory.text}"
        for memory in mind.stream.latest(SEARCHED, (MemoryKind.CONVERSATION,))
        if memory.predicate == PROMISED and now - memory.created <= PLANNED_S and hour_named(memory) is None
    ]
    return found[:PLANNED_SHOWN][::-1]


def agreed_today(mind: Mind, now: GameTime) -> list[str]:
    """Today's appointments, and the promises for an hour of today that is to come and that no appointment stands for, by hour."""
    day, made = mind.day_of(now), mind.stream.latest(SEARCHED, (MemoryKind.CONVERSATION,))
    own = [(hour_named(memory) or 0, memory) for memory in made if memory.predicate == PROMISED]
    open_ones = [(at, memory) for at, memory in own if at > now and mind.day_of(at) == day and _appointment(mind, memory) is None]
    told = dict.fromkeys(f"{clock.hhmm(at)} {memory.text}" for at, memory in open_ones)
    return sorted([*appointments.of_today(mind, now), *told])


def hour_named(memory: Memory) -> GameTime | None:
    """The hour that a promise names as prompts write it, `Monday 4 May at 18:30`; None if none. Without a date it is the next such hour."""
    found = _HOUR.search(memory.text)
    if found is None:
        return None
    made = clock.day_start(memory.created)
    day = next((day for ahead in range(DAYS_AHEAD) if clock.date(day := made + ahead * clock.DAY) in memory.text), None)
    at = (made if day is None else day) + int(found[1]) * clock.HOUR + int(found[2]) * clock.MINUTE
    return at + clock.DAY if day is None and at < memory.created else at


def took_place(mind: Mind, appointment: PlanStep) -> bool:
    """Whether an appointment was carried out: a step of it was done or begun, or they talked in its time."""
    begun = (PlanStatus.ACTIVE, PlanStatus.DONE)
    if any(step.parent == appointment.id and step.level is PlanLevel.STEP and step.status in begun for step in mind.plan.steps):
        return True
    return any(
        memory.predicate == TALKED_WITH and memory.source is MemorySource.SEEN and appointment.start <= memory.created <= appointment.end
        for who in appointment.people
        for memory in mind.stream.about(mind.people.name_of(who), SEARCHED)
    )


# ---- parts


def _appointment(mind: Mind, memory: Memory) -> PlanStep | None:
    """The appointment that stands for a promise: with the one to whom it was made, at the hour that it names."""
    at = hour_named(memory)
    if at is None:
        return None
    theirs = [step for step in mind.planned().agreed if any(mind.people.name_of(who) == memory.object for who in step.people)]
    near = [step for step in theirs if abs(appointments.agreed_hour(step) - at) <= appointments.SAME_HOUR_S]
    return min(near, key=lambda step: abs(appointments.agreed_hour(step) - at), default=None)


def _is_over(mind: Mind, memory: Memory, now: GameTime) -> bool:
    """Whether the hour that a promise names is past, or what was agreed was done."""
    at, step = hour_named(memory), _appointment(mind, memory)
    end = step.end if step is not None else None if at is None else at + appointments.USUAL_LENGTH
    return end is not None and end <= now


def _was_missed(mind: Mind, memory: Memory) -> bool:
    """Whether the appointment was not kept. Of a promise that was none nobody knows."""
    step = _appointment(mind, memory)
    return step is not None and not took_place(mind, step)
