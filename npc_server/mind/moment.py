"""The moment in which somebody speaks: what it does, what comes next, its day so far, who stands by, and when it last met the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from npc_server import clock
from npc_server.mind import appointments, promises, relationships
from npc_server.mind.agreement import TOMORROW
from npc_server.mind.mind import Mind
from npc_server.mind.today import shortened, today_so_far, whose
from npc_server.personas import routine
from npc_server.records import Address, GameTime, MemoryKind, PlanLevel, PlanOrigin, PlanStatus, PlanStep
from npc_server.world.knowledge import may_enter
from npc_server.world.tree import lineage

EVENING = 18 * clock.HOUR
"""Hour from which on prompts tell what comes first tomorrow, too."""
SEARCHED = 100
"""Latest memories of a person among which the last talk is looked for."""


@dataclass(frozen=True)
class Moment:
    """What a prompt tells of the moment. Texts may be empty."""

    doing: str
    """The hour's activity and the step in it, as the plan has them."""
    next: str
    """What comes next: `12:00 have lunch, 13:00 serve customers`, and in the evening tomorrow's first: `tomorrow 09:00 open the shop`."""
    today: list[str]
    """The day so far, latest first, so that a short prompt loses the morning and not the last hour."""
    present: list[str]
    """Names of others in the room who do not take part in the talk."""
    alone: bool
    """Whether it is known that nobody stands by."""
    met: list[str]
    """One sentence for each of the others: when the NPC last talked with them, or that it never met them."""
    promises: list[str]
    """What the NPC has promised the others, with how long ago: what is open, and what it did not keep."""

    def values(self) -> dict[str, Any]:
        """The values for a template."""
        return dict(vars(self))


def moment(
    mind: Mind,
    now: GameTime,
    others: Sequence[str] = (),
    *,
    since: GameTime | None = None,
    present: Sequence[str] | None = None,
    hours: int = 24,
    chars: int = 0,
    ahead: int = 3,
    last: bool = True,
    place: Address = "",
) -> Moment:
    """The moment at `now` for a talk with `others` (ids or players' names) that began at `since`; `now` if None.

    `present` are ids of those who stand by; None if that is not known. `hours` is how many lines of the day so far are told, `chars`
    how long each may be (0 for any length), `ahead` how many of the plan, and `last` whether the last talk with each is told of. `place`
    is where they are: a stranger in a private place is told of as one.
    """
    began, doing = now if since is None else since, _doing(mind, now)
    today = _today(mind, now, doing if others else None) if hours else []
    return Moment(
        doing=doing,
        next=_next(mind, now, ahead),
        today=[shortened(line, chars) if chars else line for line in today[::-1][:hours]],
        present=[mind.people.name_of(who) for who in present or ()],
        alone=present is not None and not present,
        met=[sentence for other in others if (sentence := _met(mind, other, began, now, place, last=last))],
        promises=[promise for other in others for promise in promises.to(mind, other, now)],
    )


def _today(mind: Mind, now: GameTime, without: str | None) -> list[str]:
    """The day so far, without whose it is: prompts say that."""
    return [line.removeprefix(whose(mind)) for line in today_so_far(mind, now, without=without)]


def doing_now(mind: Mind, now: GameTime) -> str:
    """What it does now: the step, or else the hour's activity."""
    step = _covering(mind.steps_of(PlanLevel.STEP, now), now) or _covering(_hours(mind, now), now)
    return step.text if step is not None else ""


def next_step(mind: Mind, now: GameTime) -> PlanStep | None:
    """The next hour's activity of its own plan; None if there is none today."""
    return next(iter(_ahead(mind, now)), None)


def _ahead(mind: Mind, now: GameTime) -> list[PlanStep]:
    """The hours of its own plan that are still ahead today."""
    later = (step for step in _hours(mind, now) if step.start > now and step.status is PlanStatus.AHEAD)
    return sorted((step for step in later if appointments.same_as(mind, step) is None), key=lambda step: step.start)


def _doing(mind: Mind, now: GameTime) -> str:
    hour, step = _covering(_hours(mind, now), now), _covering(mind.steps_of(PlanLevel.STEP, now), now)
    parts = [part.text for part in (hour, step) if part is not None]
    return ": ".join(dict.fromkeys(parts))


def _next(mind: Mind, now: GameTime, count: int) -> str:
    told = [f"{clock.hhmm(appointments.named_hour(step))} {step.text}" for step in _ahead(mind, now)[:count]]
    if now >= mind.day_of(now) + EVENING and len(told) < max(count, 2):
        told.append(f"{TOMORROW} {_tomorrows_first(mind, now)}")
    return ", ".join(told)


def _tomorrows_first(mind: Mind, now: GameTime) -> str:
    """What comes first tomorrow: what was agreed on, or else what the routine has at work."""
    day = mind.day_of(now) + clock.DAY
    agreed = [(appointments.named_hour(step), step.text) for step in appointments.coming(mind, now) if mind.day_of(step.start) == day]
    usual = [stretch for stretch in routine.routine(mind.persona, day) if not stretch.rests]
    duties = [stretch for stretch in usual if mind.persona.work and stretch.where.startswith(mind.persona.work)] or usual
    start, text = min([*agreed, *((stretch.start, stretch.text) for stretch in duties[:1])], default=(day + mind.persona.wake, "get up"))
    return f"{clock.hhmm(start)} {text}"


def _hours(mind: Mind, now: GameTime) -> list[PlanStep]:
    return mind.steps_of(PlanLevel.HOUR, now)


def _covering(steps: Sequence[PlanStep], now: GameTime) -> PlanStep | None:
    """The step of now. What was agreed on goes before the day's own plan, as the newest goes before those it replaced."""
    found = [step for step in steps if step.start <= now < step.end and step.status is not PlanStatus.FAILED]
    return max(found, key=lambda step: (step.origin is not PlanOrigin.PLANNED, step.id), default=None)


def _met(mind: Mind, other: str, before: GameTime, now: GameTime, place: Address, *, last: bool) -> str:
    name = mind.people.name_of(other)
    talks = (memory for memory in mind.stream.about(name, SEARCHED) if memory.kind is MemoryKind.CONVERSATION)
    latest = next((memory for memory in talks if memory.created < before), None)
    if latest is not None:
        return f"You last talked with {name} {clock.ago(latest.created, now)}." if last else ""
    if relationships.of(mind, other).relation == relationships.STRANGER:
        private = "" if may_enter(mind.world, place, other) else f" Nobody may be here but {_owners(mind, place)}."
        return f"You have never met {name} before.{private}"
    return ""


def _owners(mind: Mind, place: Address) -> str:
    """Those who may enter a private place."""
    owners = next(mind.world.node(it).owners for it in reversed(lineage(place)) if it in mind.world and mind.world.node(it).owners)
    return " and ".join("you" if mind.is_oneself(owner) else mind.people.name_of(owner) for owner in owners)
