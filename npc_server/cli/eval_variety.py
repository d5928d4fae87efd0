"""`npc-server eval variety`: whether people find new things to do from day to day, with and without mind wandering."""

from __future__ import annotations

import asyncio
import json
import tempfile
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from npc_server.cli.local import SUFFIX, apart, local_server, log_to
from npc_server.cli.output import Console, say
from npc_server.config import Settings, load_settings
from npc_server.evaluation.stand_in import STAND_IN, StandIn
from npc_server.evaluation.variety import Variety, measure
from npc_server.llm.engine import Engine
from npc_server.sandbox.run import simulate
from npc_server.sandbox.towns import Cast, find_cast


def variety(
    town: Annotated[str, typer.Option(help="A shipped town by name, or a town file.")] = "millbrook",
    days: Annotated[int, typer.Option(min=2, max=30, help="Game days to play.")] = 4,
    seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 7,
    model: Annotated[str, typer.Option(help="A model's name or GGUF file; `stand-in` plans by rule.")] = STAND_IN,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    config: Annotated[Path | None, typer.Option(help="Settings file.")] = None,
) -> None:
    """Counts activities of the days' plans that are like none before them (cosine under 0.97), with mind wandering and without."""
    log_to()
    settings = load_settings(config, **({} if model == STAND_IN else {"engine": {"model": model}}))
    cast = find_cast(town)
    found = [
        asyncio.run(run(settings, cast, days, seed, StandIn() if model == STAND_IN else None, wandering=wandering))
        for wandering in (True, False)
    ]
    if as_json:
        rows = [{"wandering": it.wandering, "new": list(it.new), "planned": list(it.planned)} for it in found]
        say(json.dumps({"town": cast.town.id, "model": model, "seed": seed, "days": days, "runs": rows}, indent=1))
        return
    table = Table(
        "mind wandering", *(f"day {day + 1}" for day in range(days)), "new after day 1", title=f"New activities, {cast.town.name}"
    )
    for it in found:
        days_of = (f"{new} of {all_}" for new, all_ in zip(it.new, it.planned, strict=True))
        table.add_row("on" if it.wandering else "off", *days_of, str(it.after_the_first_day))
    Console(highlight=False).print(table)


async def run(settings: Settings, cast: Cast, days: int, seed: int, engine: Engine | None, *, wandering: bool) -> Variety:
    """Plays a town for some days, in a save of its own that is thrown away, and counts. Without an engine it is the settings' one."""
    with tempfile.TemporaryDirectory(prefix=".npc-server-") as folder:
        async with local_server(apart(settings, Path(folder), wandering=wandering), engine=engine) as local:
            await simulate(local.connection, cast, "variety", seed, days)
            return await measure(Path(folder) / f"variety{SUFFIX}", cast, days, local.host.embedder, wandering=wandering)
