"""Playing a town by the wall clock: whether a model keeps up, and how many of the questions it answers."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from npc_eval.cost.sums import total
from npc_server.clock import HOUR, MINUTE
from npc_server.config import Settings
from npc_server.llm.engine import Engine
from npc_server.local.server import local_server, with_own_saves
from npc_server.memory import ledger
from npc_server.memory.database import reading
from npc_server.memory.suffix import SUFFIX
from npc_server.records import Action, CallOutcome, MindEvent, Source
from npc_server.sandbox.client import playing
from npc_server.sandbox.live import Live
from npc_server.sandbox.populate import town_of_save
from npc_server.sandbox.town_world import TownWorld
from npc_server.sandbox.towns import Cast

SLOT = "real-time"
GOAL = 0.80
"""Share of the questions that the model should answer in time."""


@dataclass(frozen=True)
class RealTime:
    """A town that was played by the wall clock, without waiting for minds."""

    model: str
    people: int
    game_min: float
    wall_s: float
    questions: int
    by_model: float
    """Share of the questions that the model answered. Instinct answered the others."""
    why_not: dict[str, int]
    """Why instinct answered, and how often."""
    wait_s: float
    """Mean wall seconds from a question to its answer."""
    actions: dict[str, int]
    """Number of actions by their source, such as model or instinct."""

    @property
    def pace(self) -> float:
        """Game minutes per wall second."""
        return self.game_min / self.wall_s if self.wall_s else 0.0


async def run(
    settings: Settings,
    cast: Cast,
    hours: float,
    speed: float,
    seed: int,
    engine: Engine | None = None,
    tell: Callable[[str], None] = lambda problem: None,
) -> RealTime:
    """Plays a town for some game hours in a temporary save, `speed` times as fast as real time.

    Uses the settings' engine when none is given, and waits until it is ready. `tell` gets the reason when there is no model.
    """
    with tempfile.TemporaryDirectory(prefix=".npc-server-") as folder:
        async with local_server(with_own_saves(settings, Path(folder), game_speed=speed), engine=engine) as local:
            tell(local.problem)
            connection = local.connection
            await connection.create_save(SLOT, cast.town_file, cast.persona_files, seed, cast.town.start)
            save = await connection.open_save(SLOT)
            world = await town_of_save(connection, save, cast, cast.town.start, seed)
            actions: Counter[Source] = Counter()

            def heard(event: MindEvent) -> None:
                if isinstance(event, Action):
                    actions[event.source] += 1

            async with playing(connection, save) as client:
                began = time.perf_counter()
                end = cast.town.start + round(hours * HOUR)
                live = Live(client, world, speed, heard, lambda outcome, at: None, lambda pace: None, strolls=False, hurries=False)
                await live.run(end, asyncio.Event())
                wall_s = time.perf_counter() - began
                await connection.save_game(client.session_id)
        with reading(Path(folder) / f"{SLOT}{SUFFIX}") as db:
            spent = ledger.spent(db)
    return _figures(settings.engine.model_name, world, cast, wall_s, spent, actions)


def _figures(model: str, world: TownWorld, cast: Cast, wall_s: float, spent: Sequence[ledger.Spent], actions: Counter[Source]) -> RealTime:
    whole = total(spent)
    why: Counter[str] = Counter()
    for row in spent:
        if row.outcome is CallOutcome.INSTINCT:
            why[row.why or "reply could not be used"] += row.calls
    asked = whole.questions - whole.retried - whole.cancelled
    return RealTime(
        model=model,
        people=len(world.bodies),
        game_min=(world.now - cast.town.start) / MINUTE,
        wall_s=wall_s,
        questions=asked,
        by_model=1 - whole.instinct / asked if asked else 0.0,
        why_not=dict(why.most_common()),
        wait_s=whole.wall_s / whole.calls if whole.calls else 0.0,
        actions={source.value: count for source, count in actions.most_common()},
    )
