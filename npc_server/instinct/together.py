"""What somebody knows of those it talks with: whether they live together, and whether it stays where they are."""

from __future__ import annotations

from collections.abc import Sequence

from npc_server import clock
from npc_server.mind.mind import Mind
from npc_server.personas import routine
from npc_server.records import GameTime, PlanLevel, PlanStatus, PlanStep, Talk
from npc_server.world.tree import lies_in, lineage

STAYS_S = 10 * clock.MINUTE
"""Game seconds for which somebody has to be in one place to say no goodbye there."""
MORNING_S = 2 * clock.HOUR
"""Game seconds after getting up in which people of one house wish each other a good morning."""
_OPEN = (PlanStatus.AHEAD, PlanStatus.ACTIVE)


def live_together(mind: Mind, others: Sequence[str]) -> bool:
    """Whether all of them share the NPC's home: the town's file names them as owners of the house or the room."""
    owners = {owner for it in lineage(mind.persona.home) if it in mind.world for owner in mind.world.node(it).owners}
    return bool(others) and owners.issuperset(others)


def just_up(mind: Mind, now: GameTime) -> bool:
    """Whether the NPC's day has only just begun."""
    return now - mind.day_of(now) - mind.persona.wake < MORNING_S


def stays(mind: Mind, talk: Talk, now: GameTime) -> bool:
    """Whether the NPC's plan keeps it in the room of a talk; among people of one house, in their house."""
    home = routine.home(mind.persona)
    is_home = lies_in(talk.place, home) and live_together(mind, mind.others_in(talk))
    steps = _ahead(mind, PlanLevel.STEP, now)
    # Steps are made an hour at a time. What comes after them stands only in the plan of the day.
    planned = max((it.end for it in steps), default=now)
    ahead = steps + [it for it in _ahead(mind, PlanLevel.HOUR, now) if it.start >= planned or not steps]
    return bool(ahead) and all(not it.address or lies_in(it.address, home if is_home else talk.place) for it in ahead)


def _ahead(mind: Mind, level: PlanLevel, now: GameTime) -> list[PlanStep]:
    """What is planned for the next minutes."""
    return [it for it in mind.steps_of(level, now) if it.status in _OPEN and it.start < now + STAYS_S and it.end > now]
