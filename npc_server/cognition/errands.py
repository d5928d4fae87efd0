"""Errands: steps that go before the plan, such as what a reaction does now (Generative Agents, section 4.3.1)."""

from __future__ import annotations

from collections.abc import Sequence

from npc_server import clock
from npc_server.mind.instinct import Errand
from npc_server.mind.mind import Mind
from npc_server.records import GameTime, PlanLevel, PlanOrigin, PlanStep, Source, StepKind


def insert(mind: Mind, start: GameTime, errands: Sequence[Errand], source: Source, kind: StepKind = StepKind.ACTIVITY) -> list[PlanStep]:
    """Puts a step into the plan for each errand, one after the other from `start`."""
    made: list[PlanStep] = []
    at = start
    for it in errands:
        until = at + it.minutes * clock.MINUTE
        step = PlanStep(
            mind.npc, 0, PlanLevel.STEP, 0, at, until, it.activity, it.address, source=source, origin=PlanOrigin.REACTION, kind=kind
        )
        made.append(step)
        at = until
    return mind.add_steps(made)
