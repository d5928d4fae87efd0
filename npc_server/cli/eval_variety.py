"""`npc-server eval variety`: whether people find new things to do from day to day, with and without mind wandering."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from npc_server.bench.variety import Variety
from npc_server.bench.variety import variety as measure
from npc_server.cli.local import log_to
from npc_server.config import Settings, load_settings
from npc_server.llm.start import open_embedder, open_engine
from npc_server.sandbox.towns import Cast, find_cast

STAND_IN = "stand-in"


def variety(
    town: Annotated[str, typer.Option(help="A shipped town by name, or a town file.")] = "millbrook",
    days: Annotated[int, typer.Option(min=2, max=30, help="Game days to play.")] = 4,
    seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 7,
    model: Annotated[str, typer.Option(help="A model's name or GGUF file; `stand-in` plans by rule.")] = STAND_IN,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    config: Annotated[Path | None, typer.Option(help="Settings file.")] = None,
) -> None:
    """Counts activities of the days' plans that are like none before them (cosine under 0.97), with mind wandering and without."""
    log_to(sys.stderr)
    settings = load_settings(config, **({} if model == STAND_IN else {"engine": {"model": model}}))
    cast = find_cast(town)
    found = [asyncio.run(_one(settings, cast, days, seed, model, wandering)) for wandering in (True, False)]
    if as_json:
        rows = [{"wandering": it.wandering, "new": list(it.new), "planned": list(it.planned)} for it in found]
        print(json.dumps({"town": cast.town.id, "model": model, "seed": seed, "days": days, "runs": rows}, indent=1))
        return
    table = Table(
        "mind wandering", *(f"day {day + 1}" for day in range(days)), "new after day 1", title=f"New activities, {cast.town.name}"
    )
    for it in found:
        days_of = (f"{new} of {all_}" for new, all_ in zip(it.new, it.planned, strict=True))
        table.add_row("on" if it.wandering else "off", *days_of, str(it.after_the_first_day))
    Console(highlight=False).print(table)


async def _one(settings: Settings, cast: Cast, days: int, seed: int, model: str, wandering: bool) -> Variety:
    embedder = await open_embedder(settings.engine)
    engine = None if model == STAND_IN else await open_engine(settings.engine)
    return await measure(cast, days, seed, embedder, wandering=wandering, engine=engine)
