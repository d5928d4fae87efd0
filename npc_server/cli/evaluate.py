"""`npc-server eval`: how well a model thinks for our people, what minds cost, and how a town lives."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from npc_server.cli.options import engine_of, names_in
from npc_server.cli.output import Console, log_to, say, tell_of_model
from npc_server.clock import MINUTE
from npc_server.config import Settings, load_settings
from npc_server.document_errors import did_you_mean
from npc_server.errors import BadInput
from npc_server.evaluation import real_time
from npc_server.evaluation import variety as measured_variety
from npc_server.evaluation.cost import report as cost_report
from npc_server.evaluation.cost.runs import SCENES, VARIANTS, CostScene, Run, Variant, in_order, run_scene
from npc_server.evaluation.model import report, run
from npc_server.evaluation.model.case_files import default_cases, read_cases
from npc_server.evaluation.model.cases import KINDS, Case
from npc_server.evaluation.model.results import ModelResult
from npc_server.evaluation.stand_in import STAND_IN, StandIn, counting_stand_in
from npc_server.llm.engine import Engine
from npc_server.llm.models import resolve
from npc_server.llm.start import open_embedder
from npc_server.sandbox.towns import find_cast

T = TypeVar("T")

app = typer.Typer(name="eval", help="How well a model thinks for our people, and what minds cost.", no_args_is_help=True)


@app.callback()
def group() -> None:
    """Measures models and minds."""


# ---- eval model


@app.command()
def model(
    models: Annotated[
        list[str], typer.Argument(metavar="MODEL...", help="Names or GGUF files, side by side where several; `none` is instinct alone.")
    ],
    cases: Annotated[Path | None, typer.Option(help="JSON lines, one case each, in place of ours.")] = None,
    kinds: Annotated[str, typer.Option(help=f"Kinds to ask, joined by commas: {', '.join(KINDS)}; all where left out.")] = "",
    limit: Annotated[int, typer.Option(min=0, help="Most cases of each kind, drawn by the seed; 0 for all.")] = 0,
    seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 7,
    no_grammar: Annotated[bool, typer.Option("--no-grammar", help="Ask everything without the grammar of the reply.")] = False,
    in_play: Annotated[
        bool, typer.Option("--in-play", help="As in play: instinct answers what the model's file leaves to it or cannot, and that counts.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, with each case and its reply; a list for several models.")] = False,
    config: Annotated[Path | None, typer.Option(help="Settings file.")] = None,
) -> None:
    """Asks a model what our minds ask, through the same prompts, and prints scores and speed. Ours are hand-written cases of 8 kinds."""
    log_to()
    settings = load_settings(config)
    wanted = _kinds(kinds)
    found = run.choose_cases(read_cases(cases) if cases else default_cases(wanted), wanted, limit, seed)
    if not found:
        raise BadInput(f"There are no cases of {kinds or 'any kind'}.", "Name other kinds, or another file.")
    for name in models:
        if not settings.engine.model_copy(update={"model": name}).instinct_only:
            resolve(name, settings.engine.models_folder)  # says what is missing before an hour is spent
    options = run.EvaluationOptions(seed, not no_grammar, in_play, at_once=settings.engine.max_parallel)
    results = asyncio.run(_each_model(models, settings, found, options))
    if as_json:
        rows = [report.as_json(result) for result in results]
        say(json.dumps(rows if len(rows) > 1 else rows[0], ensure_ascii=False, indent=1))
        return
    out = Console()
    if len(results) > 1:
        out.print(report.side_by_side(results))
        return
    out.print(report.table(results[0]))
    out.print(report.footer(results[0]), highlight=False)


def _kinds(text: str) -> tuple[str, ...]:
    wanted = tuple(names_in(text)) or KINDS
    for kind in wanted:
        if kind not in KINDS:
            raise BadInput(f"There is no kind {kind!r}.", did_you_mean(kind, KINDS) or f"Choose among {', '.join(KINDS)}.")
    return wanted


async def _each_model(names: Sequence[str], settings: Settings, found: Sequence[Case], options: run.EvaluationOptions) -> list[ModelResult]:
    embedder = await open_embedder(settings.engine)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    results: list[ModelResult] = []
    try:
        for name in names:
            with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
                results.append(await run.evaluate_model(name, settings, embedder, found, options, _steps(bars, name)))
    finally:
        await embedder.close()
    return results


def _steps(bars: Progress, name: str) -> run.Progress:
    """A bar for each kind."""
    tasks: dict[str, Any] = {}

    def begin(kind: str, count: int) -> None:
        tasks[kind] = bars.add_task(f"{Path(name).stem[:20]}: {kind}", total=count)

    return run.Progress(begin, lambda kind: bars.advance(tasks[kind]))


# ---- eval cost


@app.command()
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
    settings = _settings(config, model)
    wanted = _chosen("scene", names_in(scenes), {s.name: s for s in SCENES})
    asked = in_order(_chosen("variant", names_in(variants, ";"), {v.name: v for v in VARIANTS}))
    # A real engine belongs to the event loop of its run; the stand-in to none.
    engine = counting_stand_in(settings.engine, vocabulary, reword) if model == STAND_IN else None
    found = {scene.name: _cost_of(settings, scene, asked, days, seed, engine) for scene in wanted}
    name = engine.status().model if engine is not None else settings.engine.model
    papers = {scene.name: scene.paper for scene in wanted}
    if as_json:
        say(json.dumps({"model": name, "seed": seed, "scenes": cost_report.as_json(found, papers)}, ensure_ascii=False, indent=1))
    else:
        cost_report.show(Console(highlight=False), name, found, papers)


def _cost_of(settings: Settings, scene: CostScene, asked: Sequence[Variant], days: float, seed: int, engine: Engine | None) -> list[Run]:
    """Says on stderr which run goes on."""

    def begins(variant: Variant) -> None:
        say(f"{scene.name}: {variant.name} …", end=" ", err=True)

    def ended(done: Run) -> None:
        say(f"{done.spent.tokens:,} tokens, {done.wall_s:.0f} s", err=True)

    return asyncio.run(run_scene(settings, scene, asked, days, seed, engine, begins, ended))


def _chosen(what: str, names: Sequence[str], known: dict[str, T]) -> list[T]:
    for name in names:
        if name not in known:
            raise BadInput(f"There is no {what} {name!r}.", f"Choose among {', '.join(known)}.")
    return [known[name] for name in names or known]


def _settings(config: Path | None, model: str) -> Settings:
    return load_settings(config, **engine_of(None if model == STAND_IN else model))


# ---- eval town


@app.command()
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
    found = asyncio.run(real_time.run(settings, find_cast(town_), hours, speed, seed, tell=tell_of_model))
    if as_json:
        say(json.dumps({**asdict(found), "pace": found.pace, "speed": speed, "seed": seed, "town": town_}, indent=1))
        return
    Console(highlight=False).print(_real_time_table(found, speed))


def _real_time_table(it: real_time.RealTime, speed: float) -> Table:
    table = Table("", "", title=f"{Path(it.model).name}: {it.people} people by the wall clock", show_header=False, title_justify="left")
    table.add_row("pace", f"{it.pace:.2f} game minutes a second, of {speed / MINUTE:.2f}")
    table.add_row("questions", f"{it.questions} in {it.game_min:.0f} game minutes")
    table.add_row("by the model", f"{it.by_model:.0%} (goal {real_time.GOAL:.0%})")
    for why, count in it.why_not.items():
        table.add_row("  instinct, because", f"{why}: {count}")
    table.add_row("an answer takes", f"{it.wait_s:.2f} s")
    table.add_row("actions decided by", ", ".join(f"{name} {count}" for name, count in it.actions.items()))
    return table


# ---- eval variety


@app.command()
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
    settings, cast = _settings(config, model), find_cast(town)
    found = [
        asyncio.run(measured_variety.run(settings, cast, days, seed, StandIn() if model == STAND_IN else None, wandering=wandering))
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
