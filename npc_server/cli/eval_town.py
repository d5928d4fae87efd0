"""`npc-server eval town`: whether a town keeps real time with a model, and how much of its thinking the model does."""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from npc_server.cli.cost_sums import total
from npc_server.cli.local import SUFFIX, apart, local_server, log_to, tell_of_model
from npc_server.cli.output import Console, say
from npc_server.clock import HOUR, MINUTE
from npc_server.config import Settings, load_settings
from npc_server.llm.engine import Engine
from npc_server.memory import ledger
from npc_server.memory.database import reading
from npc_server.records import Action, CallOutcome, MindEvent, Source
from npc_server.sandbox.client import playing
from npc_server.sandbox.live import Live
from npc_server.sandbox.run import people_town
from npc_server.sandbox.towns import Cast, find_cast

SLOT = "real-time"
GOAL = 0.80
"""Of questions, the share that the model should answer in time."""


@dataclass(frozen=True)
class RealTime:
    """A town that was played by the wall clock, which waits for no mind."""

    model: str
    people: int
    game_min: float
    wall_s: float
    questions: int
    by_model: float
    """Share of the questions that the model answered; instinct answered the others."""
    why_not: dict[str, int]
    """Why instinct answered, and how often."""
    wait_s: float
    """Wall seconds from a question to its answer, on the average."""
    actions: dict[str, int]
    """What was done, by what decided it."""

    @property
    def pace(self) -> float:
        """Game minutes a wall second."""
        return self.game_min / self.wall_s if self.wall_s else 0.0


def town(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A name or GGUF file; `none` is instinct alone.")],
    town_: Annotated[str, typer.Option("--town", help="A shipped town by name, or a town file.")] = "alderwick",
    hours: Annotated[float, typer.Option(min=0.05, max=240, help="Game hours to play.")] = 4.0,
    speed: Annotated[float, typer.Option(min=1, max=100_000, help="Game seconds a wall second.")] = 60.0,
    seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 7,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    config: Annotated[Path | None, typer.Option(help="Settings file.")] = None,
) -> None:
    """Plays a town by the wall clock, from its first morning on, and counts the questions that the model answered in time."""
    log_to()
    settings = load_settings(config, engine={"model": model})
    found = asyncio.run(run(settings, find_cast(town_), hours, speed, seed))
    if as_json:
        say(json.dumps({**asdict(found), "pace": found.pace, "speed": speed, "seed": seed, "town": town_}, indent=1))
        return
    Console(highlight=False).print(_table(found, speed))


async def run(settings: Settings, cast: Cast, hours: float, speed: float, seed: int, engine: Engine | None = None) -> RealTime:
    """Plays in a save of its own that is thrown away. Without an engine it is the settings' one; it is ready before play begins."""
    with tempfile.TemporaryDirectory(prefix=".npc-server-") as folder:
        async with local_server(apart(settings, Path(folder)), engine=engine) as local:
            tell_of_model(settings.engine, local.engine())
            connection = local.connection
            await connection.create_save(SLOT, cast.town_file, cast.persona_files, seed, cast.town.start)
            save = await connection.open_save(SLOT)
            world = people_town(cast, cast.town.start, seed=seed)
            actions: Counter[Source] = Counter()

            def heard(event: MindEvent) -> None:
                if isinstance(event, Action):
                    actions[event.source] += 1

            async with playing(connection, save) as client:
                began = time.perf_counter()
                end = cast.town.start + round(hours * HOUR)
                await Live(client, world, speed, heard, lambda outcome, at: None, lambda pace: None, steady=True).run(end, asyncio.Event())
                wall_s = time.perf_counter() - began
                await connection.save_game(client.session_id)
        with reading(Path(folder) / f"{SLOT}{SUFFIX}") as db:
            spent = ledger.spent(db)
    whole = total(spent)
    why: Counter[str] = Counter()
    for row in spent:
        if row.outcome is CallOutcome.INSTINCT:
            why[row.why or "reply could not be used"] += row.calls
    asked = whole.questions - whole.retried - whole.cancelled
    return RealTime(
        model=settings.engine.model_name,
        people=len(world.bodies),
        game_min=(world.now - cast.town.start) / MINUTE,
        wall_s=wall_s,
        questions=asked,
        by_model=1 - whole.instinct / asked if asked else 0.0,
        why_not=dict(why.most_common()),
        wait_s=whole.wall_s / whole.calls if whole.calls else 0.0,
        actions={source.value: count for source, count in actions.most_common()},
    )


def _table(it: RealTime, speed: float) -> Table:
    table = Table("", "", title=f"{Path(it.model).name}: {it.people} people by the wall clock", show_header=False, title_justify="left")
    table.add_row("pace", f"{it.pace:.2f} game minutes a second, of {speed / MINUTE:.2f}")
    table.add_row("questions", f"{it.questions} in {it.game_min:.0f} game minutes")
    table.add_row("by the model", f"{it.by_model:.0%} (goal {GOAL:.0%})")
    for why, count in it.why_not.items():
        table.add_row("  instinct, because", f"{why}: {count}")
    table.add_row("an answer takes", f"{it.wait_s:.2f} s")
    table.add_row("actions decided by", ", ".join(f"{name} {count}" for name, count in it.actions.items()))
    return table
