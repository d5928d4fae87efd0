"""What an NPC means to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from npc_server.clock import DAY, day_start
from npc_server.mind.plan_index import LatestIndex, PlanIndex
from npc_server.personas.schema import Persona
from npc_server.records import GameTime, PlanStep


@dataclass
class OwnPlan:
    """The steps, and what is to come of them. `Mind` puts its changes into the draft, too."""

    steps: list[PlanStep] = field(default_factory=list)
    """Every step of yesterday, today and later days, ordered by id."""
    next_id: int = 1
    since: GameTime = 0
    """Midnight before which there are no steps any more; 0 if none were removed yet."""
    again: str = ""
    """Why the rest of the day is to be planned anew in the next thought (`cognition.replan_day`). Empty if it is not. A save does not hold
    it: who loads one keeps the plan, with the appointment in it."""
    index: LatestIndex = field(default_factory=LatestIndex)

    def ordered(self, persona: Persona) -> PlanIndex:
        """Return the plan, ordered for what is asked of it."""
        return self.index.of(self.steps, persona)

    def add(self, steps: Sequence[PlanStep]) -> list[PlanStep]:
        """Add steps, and return them with their new ids."""
        fresh = [replace(step, id=self.next_id + place) for place, step in enumerate(steps)]
        self.next_id += len(fresh)
        self.steps += fresh
        return fresh

    def put(self, step: PlanStep) -> None:
        """Replace the step with the same id."""
        self.steps = [step if it.id == step.id else it for it in self.steps]

    def forget_old(self, now: GameTime) -> None:
        """Remove the steps of days before yesterday. The save keeps them."""
        yesterday = day_start(now) - DAY
        if yesterday != self.since:
            self.steps, self.since = [step for step in self.steps if step.start >= yesterday], yesterday
