"""`npc-server eval`: measures how well a model answers, what minds cost, and how a town lives."""

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

from npc_eval import real_time
from npc_eval import variety as measured_variety
from npc_eval.cost import report as cost_report
from npc_eval.cost.runs import SCENES, VARIANTS, CostScene, Run, Variant, in_order, run_scene
from npc_eval.model import report, run
from npc_eval.model.case_files import default_cases, read_cases
from npc_eval.model.cases import KINDS, Case
from npc_eval.model.results import ModelResult
from npc_eval.stand_in import STAND_IN, StandIn, counting_stand_in
from npc_server.cli.options import DAYS, SPEED, AsJson, Config, Seed, Town, engine_of, names_in
from npc_server.cli.output import Console, log_to, say, tell_of_model
from npc_server.clock import MINUTE
from npc_server.config import Settings, load_settings
from npc_server.document_errors import did_you_mean
from npc_server.errors import BadInput
from npc_server.llm.best_here import with_named_model
from npc_server.llm.engine import Engine
from npc_server.llm.models import resolve
from npc_server.llm.start import open_embedder
from npc_server.sandbox.towns import find_cast

T = TypeVar("T")

MODEL_OR_STAND_IN = "Name of a model or path of a GGUF file; `stand-in` answers by rules and counts tokens."

app = typer.Typer(name="eval", help="Measure how well a model answers what minds ask, and what minds cost.", no_args_is_help=True)


@app.callback()
def group() -> None:
    """Measure models and minds."""


# ---- eval model


@app.command()
def model(
    models: Annotated[
        list[str], typer.Argument(metavar="MODEL...", help="Models to compare: names or GGUF files; `none` is instinct alone.")
    ],
    cases: Annotated[Path | None, typer.Option(help="File of cases, one JSON object per line. The default is the built-in cases.")] = None,
    kinds: Annotated[str, typer.Option(help=f"Kinds of cases, separated by commas. The default is all: {', '.join(KINDS)}.")] = "",
    limit: Annotated[int, typer.Option(min=0, help="Most cases of each kind, drawn at random; 0 takes all.")] = 0,
    seed: Seed = 7,
    no_grammar: Annotated[bool, typer.Option("--no-grammar", help="Let the model reply without a grammar.")] = False,
    in_play: Annotated[
        bool, typer.Option("--in-play", help="Count the answers of instinct where it would answer in play instead of the model.")
    ] = False,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Ask models what minds ask, with the same prompts, and print scores and speed."""
    log_to()
    settings = load_settings(config)
    wanted = _kinds(kinds)
    found = run.choose_cases(read_cases(cases) if cases else default_cases(wanted), wanted, limit, seed)
    if not found:
        raise BadInput(f"There are no cases of {kinds or 'any kind'}.", "Name other kinds, or another file.")
    for name in models:
        if not settings.engine.model_copy(update={"model": name}).instinct_only:
            resolve(name, settings.engine.models_folder)  # A missing file is reported before the first model is asked.
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
    """Shows a progress bar for each kind of case."""
    tasks: dict[str, Any] = {}

    def begin(kind: str, count: int) -> None:
        tasks[kind] = bars.add_task(f"{Path(name).stem[:20]}: {kind}", total=count)

    return run.Progress(begin, lambda kind: bars.advance(tasks[kind]))


# ---- eval cost


@app.command()
def cost(
    scenes: Annotated[
        str, typer.Option(help=f"Scenes, separated by commas. The default is all: {', '.join(s.name for s in SCENES)}.")
    ] = "",
    variants: Annotated[
        str, typer.Option(help=f"Variants, separated by semicolons. The default is all: {'; '.join(v.name for v in VARIANTS)}.")
    ] = "",
    model: Annotated[str, typer.Option(help=MODEL_OR_STAND_IN)] = STAND_IN,
    vocabulary: Annotated[
        str, typer.Option(help="Model whose tokens the stand-in counts: a name or GGUF file. The default is 4 characters per token.")
    ] = "",
    reword: Annotated[
        float,
        typer.Option(min=0.0, max=1.0, help="Share of plan lines, from 0 to 1, that the stand-in words differently than the day before."),
    ] = 0.0,
    seed: Seed = 7,
    days: Annotated[float, typer.Option(min=0.0, max=30.0, help=f"{DAYS} 0 plays as many as each scene says.")] = 0.0,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Measure what towns cost: as the reference code asks (`baseline`), with each saving alone, and with all of them."""
    log_to()
    settings = _settings(config, model)
    wanted = _chosen("scene", names_in(scenes), {s.name: s for s in SCENES})
    asked = in_order(_chosen("variant", names_in(variants, ";"), {v.name: v for v in VARIANTS}))
    # A real engine belongs to the event loop of one run, so it is made there. The stand-in needs no loop.
    engine = counting_stand_in(settings.engine, vocabulary, reword) if model == STAND_IN else None
    found = {scene.name: _cost_of(settings, scene, asked, days, seed, engine) for scene in wanted}
    name = engine.status().model if engine is not None else settings.engine.model
    papers = {scene.name: scene.paper for scene in wanted}
    if as_json:
        say(json.dumps({"model": name, "seed": seed, "scenes": cost_report.as_json(found, papers)}, ensure_ascii=False, indent=1))
    else:
        cost_report.show(Console(highlight=False), name, found, papers)


def _cost_of(settings: Settings, scene: CostScene, asked: Sequence[Variant], days: float, seed: int, engine: Engine | None) -> list[Run]:
    """Runs all variants of a scene, and prints the progress to stderr."""

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
    return with_named_model(load_settings(config, **engine_of(None if model == STAND_IN else model)))


# ---- eval town


@app.command()
def town(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="Model to measure: a name or GGUF file; `none` is instinct alone.")],
    town_: Town = "alderwick",
    hours: Annotated[float, typer.Option(min=0.05, max=240, help="Game hours to play.")] = 4.0,
    speed: Annotated[float, typer.Option(min=1, max=100_000, help=SPEED)] = 60.0,
    seed: Seed = 7,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Play a town by the wall clock from its first morning, and count the questions that the model answers in time."""
    log_to()
    settings = with_named_model(load_settings(config, engine={"model": model}))
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
    town: Town = "millbrook",
    days: Annotated[int, typer.Option(min=2, max=30, help=DAYS)] = 4,
    seed: Seed = 7,
    model: Annotated[str, typer.Option(help=MODEL_OR_STAND_IN)] = STAND_IN,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Count planned activities that are unlike all before (cosine below 0.97), with and without mind wandering."""
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
