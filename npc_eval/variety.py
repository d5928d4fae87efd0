"""Variety: how many new activities people plan over several days, with and without mind wandering (AGA, section 3.3)."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from npc_eval.engines.from_folder import require_complete
from npc_eval.simulation.run import Simulation, simulate
from npc_server import clock
from npc_server.config import Settings
from npc_server.llm.engine import Embedder, Engine, Vectors
from npc_server.local.server import local_server, with_own_saves
from npc_server.memory import plans
from npc_server.memory.database import reading
from npc_server.memory.suffix import SUFFIX
from npc_server.records import NpcId, PlanLevel
from npc_server.sandbox.towns import Cast

SAME = 0.97
"""Two activities with at least this cosine are the same."""

Days = Sequence[Sequence[str]]
"""Planned activities of one person, day by day."""


@dataclass(frozen=True)
class Variety:
    """New activities of all people together, day by day. On the first day all distinct ones are new."""

    wandering: bool
    new: tuple[int, ...]
    planned: tuple[int, ...]
    """All activities, day by day."""

    @property
    def after_the_first_day(self) -> int:
        return sum(self.new[1:])


async def run(settings: Settings, cast: Cast, days: int, seed: int, engine: Engine | None, *, wandering: bool) -> Variety:
    """Plays a town for some days in a temporary save, and counts. Uses the settings' engine when none is given."""
    with tempfile.TemporaryDirectory(prefix=".npc-server-") as folder:
        async with local_server(with_own_saves(settings, Path(folder), wandering=wandering), engine=engine) as local:
            await simulate(local.connection, cast, Simulation("variety", seed, days))
            require_complete(local.engine)
            return await measure(Path(folder) / f"variety{SUFFIX}", cast, days, local.host.embedder, wandering=wandering)


async def measure(save: Path, cast: Cast, days: int, embedder: Embedder, *, wandering: bool) -> Variety:
    """Counts the new activities in a save of some days."""
    lives = planned(save, [person.id for person in cast.people], cast.town.start, days)
    counts = [await new_activities(life, embedder) for life in lives.values()]
    together = tuple(sum(life[day] for life in counts) for day in range(days))
    return Variety(wandering, together, tuple(sum(len(life[day]) for life in lives.values()) for day in range(days)))


async def new_activities(days: Days, embedder: Embedder, similarity: float = SAME) -> list[int]:
    """For each day, the number of activities that are the same as none before, on that day or an earlier one."""
    seen: list[Vectors] = []
    found: list[int] = []
    for day in days:
        fresh = 0
        for vector in await embedder.embed(list(day)) if day else ():
            if not seen or float(np.max(np.stack(seen) @ vector)) < similarity:
                seen.append(vector)
                fresh += 1
        found.append(fresh)
    return found


def planned(save: Path, people: Sequence[NpcId], start: int, days: int) -> Mapping[NpcId, Days]:
    """The activities that everybody planned for the hours of each day, read from a save."""
    first = clock.day_start(start)
    with reading(save) as db:
        return {
            npc: [
                [s.text for s in plans.load_day(db, npc, first + day * clock.DAY) if s.level is PlanLevel.HOUR and s.parent > 0]
                for day in range(days)
            ]
            for npc in people
        }
