"""The moment in which somebody speaks: what it does, what comes next, its day so far, who stands by, and when it last met the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from npc_server import clock
from npc_server.english.text import PROMISED
from npc_server.mind import relationships
from npc_server.mind.mind import Mind
from npc_server.mind.today import today_so_far
from npc_server.records import GameTime, MemoryKind, PlanLevel, PlanOrigin, PlanStatus, PlanStep

PROMISES_KEPT_S = 7 * clock.DAY
"""Game seconds for which prompts show a promise."""
PROMISES_SHOWN = 3
"""Promises to one person that a prompt shows at most, the newest."""
SEARCHED = 100
"""Latest memories of a person among which the last talk and promises are looked for."""


@dataclass(frozen=True)
class Moment:
    """What a prompt tells of the moment. Texts may be empty."""

    doing: str
    """The hour's activity and the step in it, as the plan has them."""
    next: str
    """What the plan has next: `12:00 have lunch, 13:00 serve customers`."""
    today: list[str]
    """The day so far, latest first, so that a short prompt loses the morning and not the last hour."""
    present: list[str]
    """Names of others in the room who do not take part in the talk."""
    met: list[str]
    """One sentence for each of the others: when the NPC last talked with them, or that it never met them."""
    promises: list[str]
    """What the NPC has promised the others, with how long ago."""

    def values(self) -> dict[str, Any]:
        """The values for a template."""
        return dict(vars(self))


def moment(
    mind: Mind,
    now: GameTime,
    others: Sequence[str] = (),
    *,
    since: GameTime | None = None,
    present: Sequence[str] = (),
    hours: int = 24,
    ahead: int = 8,
) -> Moment:
    """The moment at `now` for a talk with `others` (ids or players' names) that began at `since`; `now` if None.

    `present` are ids of those who stand by. `hours` is how many lines of the day so far are told, and `ahead` how many of the plan.
    """
    began = now if since is None else since
    return Moment(
        doing=_doing(mind, now),
        next=_next(mind, now, ahead),
        today=today_so_far(mind, now)[::-1][:hours],
        present=[mind.name_of(who) for who in present],
        met=[sentence for other in others if (sentence := _met(mind, other, began, now))],
        promises=[promise for other in others for promise in promises_to(mind, other, now)],
    )


def promises_to(mind: Mind, other: str, now: GameTime) -> list[str]:
    """The NPC's latest promises to somebody, oldest first."""
    found = [
        f"({clock.ago(memory.created, now)}) {memory.text}"
        for memory in mind.stream.about(mind.name_of(other), SEARCHED)
        if memory.predicate == PROMISED and memory.created >= now - PROMISES_KEPT_S
    ]
    return found[:PROMISES_SHOWN][::-1]


def _doing(mind: Mind, now: GameTime) -> str:
    hour, step = _covering(_hours(mind, now), now), _covering(mind.steps_of(PlanLevel.STEP, now), now)
    parts = [part.text for part in (hour, step) if part is not None]
    return ": ".join(dict.fromkeys(parts))


def _next(mind: Mind, now: GameTime, count: int) -> str:
    ahead = sorted((step for step in _hours(mind, now) if step.start > now and step.status is PlanStatus.AHEAD), key=lambda s: s.start)
    return ", ".join(f"{clock.hhmm(step.start)} {step.text}" for step in ahead[:count])


def _hours(mind: Mind, now: GameTime) -> list[PlanStep]:
    return mind.steps_of(PlanLevel.HOUR, now)


def _covering(steps: Sequence[PlanStep], now: GameTime) -> PlanStep | None:
    """The step of now. What was agreed on goes before the day's own plan, as the newest goes before those it replaced."""
    found = [step for step in steps if step.start <= now < step.end and step.status is not PlanStatus.FAILED]
    return max(found, key=lambda step: (step.origin is not PlanOrigin.PLANNED, step.id), default=None)


def _met(mind: Mind, other: str, before: GameTime, now: GameTime) -> str:
    name = mind.name_of(other)
    talks = (memory for memory in mind.stream.about(name, SEARCHED) if memory.kind is MemoryKind.CONVERSATION)
    last = next((memory for memory in talks if memory.created < before), None)
    if last is not None:
        return f"You last talked with {name} {clock.ago(last.created, now)}."
    if relationships.of(mind, other).relation == relationships.STRANGER:
        return f"You have never met {name} before."
    return ""
