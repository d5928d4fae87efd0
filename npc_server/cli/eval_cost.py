"""`npc-server eval cost`: what minds cost, asked as the reference asks and as ours do, on the same towns and seeds."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from npc_server.cli import cost_report
from npc_server.cli.cost_runs import BASELINE, VARIANTS, Run, Variant, run
from npc_server.cli.local import log_to
from npc_server.cli.output import Console, say
from npc_server.config import Settings, load_settings
from npc_server.errors import BadInput
from npc_server.evaluation.stand_in import STAND_IN, StandIn
from npc_server.llm.absent import estimate_tokens
from npc_server.llm.engine import Engine
from npc_server.llm.models import resolve
from npc_server.sandbox.towns import find_cast

T = TypeVar("T")


@dataclass(frozen=True)
class Scene:
    """A town to measure, for how long, and what AGA reports for one like it, in percent of plain generative agents."""

    name: str
    town: str
    days: float
    paper: dict[str, float]
    people: tuple[str, ...] = ()
    """Ids of who plays; everybody where empty."""


SCENES = (
    Scene("3 people", "millbrook", 2.0, {"all": 31.1, "policies": 40.2, "social memory": 58.6}),
    Scene("25 people", "alderwick", 2.0, {"all": 42.7}),
    # AGA's household is one agent; two who also talk with each other are measured apart.
    Scene("household", "household", 1.0, {"all": 3.4}, ("nora_lind",)),
    Scene("household of two", "household", 1.0, {}),
)


def cost(
    scenes: Annotated[str, typer.Option(help=f"Joined by commas: {', '.join(s.name for s in SCENES)}; all where left out.")] = "",
    variants: Annotated[str, typer.Option(help=f"Joined by semicolons: {'; '.join(v.name for v in VARIANTS)}.")] = "",
    model: Annotated[str, typer.Option(help="A model's name or GGUF file; `stand-in` answers by rule and only counts.")] = STAND_IN,
    vocabulary: Annotated[
        str, typer.Option(help="For the stand-in: GGUF file or name of the model whose tokens are counted; 4 characters a token if empty.")
    ] = "",
    reword: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="For the stand-in: share of a plan's lines that get other words than the day before.")
    ] = 0.0,
    seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 7,
    days: Annotated[float, typer.Option(min=0.0, max=30.0, help="Game days to play; each scene's own where 0.")] = 0.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    config: Annotated[Path | None, typer.Option(help="Settings file.")] = None,
) -> None:
    """Runs towns as the reference asks (`baseline`), with each part of the affordable mind alone, and with all, cold and warm."""
    log_to()
    settings = load_settings(config, **({} if model == STAND_IN else {"engine": {"model": model}}))
    wanted = _chosen("scene", scenes, ",", {s.name: s for s in SCENES})
    asked = _with_needs(_chosen("variant", variants, ";", {v.name: v for v in VARIANTS}))
    # A real engine belongs to the event loop of its run; the stand-in to none.
    engine = _stand_in(settings, vocabulary, reword) if model == STAND_IN else None
    found: dict[str, list[Run]] = {}
    for scene in wanted:
        found[scene.name] = asyncio.run(_runs(settings, scene, asked, days or scene.days, seed, engine))
    name = engine.status().model if engine is not None else settings.engine.model
    papers = {scene.name: scene.paper for scene in wanted}
    if as_json:
        say(json.dumps({"model": name, "seed": seed, "scenes": cost_report.as_json(found, papers)}, ensure_ascii=False, indent=1))
    else:
        cost_report.show(Console(highlight=False), name, found, papers)


async def _runs(settings: Settings, scene: Scene, variants: Sequence[Variant], days: float, seed: int, engine: Engine | None) -> list[Run]:
    cast = find_cast(scene.town, scene.people)
    found: dict[str, Run] = {}
    for variant in variants:
        say(f"{scene.name}: {variant.name} …", end=" ", err=True)
        policies = found[variant.warm].policies if variant.warm else None
        found[variant.name] = done = await run(settings, variant, cast, days, seed, engine, policies)
        say(f"{done.spent.tokens:,} tokens, {done.wall_s:.0f} s", err=True)
    return list(found.values())


def _with_needs(variants: Sequence[Variant]) -> list[Variant]:
    """The baseline goes first, and before a warm run the run whose policies it begins with."""
    by_name = {variant.name: variant for variant in VARIANTS}
    names = [BASELINE]
    for variant in variants:
        names += [name for name in (variant.warm, variant.name) if name]
    return [by_name[name] for name in dict.fromkeys(names)]


def _chosen(what: str, text: str, sep: str, known: dict[str, T]) -> list[T]:
    names = [name.strip() for name in text.split(sep) if name.strip()] or list(known)
    for name in names:
        if name not in known:
            raise BadInput(f"There is no {what} {name!r}.", f"Choose among {', '.join(known)}.")
    return [known[name] for name in names]


def _stand_in(settings: Settings, vocabulary: str, reword: float) -> Engine:
    if not vocabulary:
        return StandIn(estimate_tokens, f"{STAND_IN}, 4 characters a token", reword=reword)
    from npc_server.llm.llama_vocab import Vocabulary

    words = Vocabulary(resolve(vocabulary, settings.engine.models_folder), settings.engine.max_header_bytes)
    return StandIn(words.count, f"{STAND_IN}, tokens of {words.name}", reword=reword)
