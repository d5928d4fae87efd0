"""The steps of a plan, ordered for what is asked of it. A plan is read many times in each thought, and changes a few times an hour."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from npc_server.personas import routine
from npc_server.personas.schema import Persona
from npc_server.records import GameTime, PlanLevel, PlanOrigin, PlanStatus, PlanStep


@dataclass(frozen=True)
class PlanIndex:
    """What was made of one plan. Dropped steps are left out."""

    plan: Sequence[PlanStep]
    size: int
    """How many steps the plan had. Steps are only ever added in place; every other change makes a new list."""
    persona: Persona
    of_day: Mapping[tuple[PlanLevel, GameTime], Sequence[PlanStep]]
    """The steps of a level, by the midnight before the waking day in which they begin; ordered by start, then id."""
    agreed: Sequence[PlanStep]
    """The steps that were agreed on in talks, ordered by id."""

    def is_of(self, plan: Sequence[PlanStep], persona: Persona) -> bool:
        """Whether it still tells what is in this plan."""
        return self.plan is plan and self.size == len(plan) and self.persona is persona


class LatestIndex:
    """The index of the plan that was read last. Another plan makes another one, so it never has to be undone."""

    def __init__(self) -> None:
        self._latest: PlanIndex | None = None

    def of(self, plan: Sequence[PlanStep], persona: Persona) -> PlanIndex:
        """The index of this plan, from before if the plan has not changed."""
        if self._latest is None or not self._latest.is_of(plan, persona):
            self._latest = index_of(plan, persona)
        return self._latest


def index_of(plan: Sequence[PlanStep], persona: Persona) -> PlanIndex:
    """The index of a plan. The persona tells when its waking days begin."""
    kept = [step for step in plan if step.status is not PlanStatus.DROPPED]
    of_day: defaultdict[tuple[PlanLevel, GameTime], list[PlanStep]] = defaultdict(list)
    for step in sorted(kept, key=lambda step: (step.start, step.id)):
        of_day[step.level, routine.waking_day(persona, step.start)].append(step)
    return PlanIndex(plan, len(plan), persona, dict(of_day), [step for step in kept if step.origin is PlanOrigin.AGREED])
