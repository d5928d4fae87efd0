"""An occupied place, such as the bathroom: the NPC waits outside and tries again (Generative Agents, section 5.2)."""

from __future__ import annotations

from dataclasses import dataclass

from npc_server import clock
from npc_server.cognition import errands
from npc_server.mind.instinct import Errand
from npc_server.mind.mind import Mind
from npc_server.records import Address, GameTime, PlanStep, Reach, Source, StepKind

WAIT_MIN = 5
"""Game minutes until the NPC looks again whether the place is free."""


@dataclass(frozen=True)
class Occupied:
    """Says that the place of a step has no room now."""

    address: Address


def is_occupied(reach: Reach) -> bool:
    """Whether the NPC can get there but there is no room."""
    return reach.reachable and not reach.free


def wait(mind: Mind, address: Address, step: PlanStep, room: Address, now: GameTime) -> None:
    """Puts a wait in `room` into the plan, because `address` is occupied. After the wait `step` is tried again."""
    mind.update_step(step)
    minutes = max(1, min(WAIT_MIN, (step.end - now) // clock.MINUTE))
    # It is also told as past: "I was waiting for the shower".
    waiting = Errand(minutes, f"waiting for {mind.world.describe(address)}", room)
    errands.insert(mind, now, [waiting], Source.INSTINCT, StepKind.PAUSE)
