"""`npc-server eval`: how well a model thinks for our people, and what minds cost."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from npc_server.cli.local import log_to
from npc_server.cli.output import Console, say
from npc_server.config import Settings, load_settings
from npc_server.document_errors import did_you_mean
from npc_server.errors import BadInput
from npc_server.evaluation.eval_model import report, run
from npc_server.evaluation.eval_model.cases import KINDS, Case, default_cases, read_cases
from npc_server.evaluation.eval_model.heard import Health
from npc_server.evaluation.eval_model.minds import Minds
from npc_server.evaluation.eval_model.report import ModelResult
from npc_server.evaluation.eval_model.speed import Speed, measure
from npc_server.llm.absent import AbsentEngine
from npc_server.llm.engine import Embedder
from npc_server.llm.gguf_header import read_header
from npc_server.llm.models import resolve
from npc_server.llm.start import open_embedder, open_engine
from npc_server.llm.worker import LlamaEngine

PATIENCE_S = 600.0
"""Deadline of an answer here: it is asked what a model says; how fast, is measured apart."""

app = typer.Typer(name="eval", help="How well a model thinks for our people, and what minds cost.", no_args_is_help=True)


@app.callback()
def group() -> None:
    """Measures models and minds."""


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
    found = run.chosen(read_cases(cases) if cases else default_cases(wanted), wanted, limit, seed)
    if not found:
        raise BadInput(f"There are no cases of {kinds or 'any kind'}.", "Name other kinds, or another file.")
    for name in models:
        if not settings.engine.model_copy(update={"model": name}).instinct_only:
            resolve(name, settings.engine.models_folder)  # says what is missing before an hour is spent
    options = run.Options(seed, not no_grammar, in_play, at_once=settings.engine.max_parallel)
    results = asyncio.run(_all(models, settings, found, options))
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
    wanted = tuple(part.strip() for part in text.split(",") if part.strip()) or KINDS
    for kind in wanted:
        if kind not in KINDS:
            raise BadInput(f"There is no kind {kind!r}.", did_you_mean(kind, KINDS) or f"Choose among {', '.join(KINDS)}.")
    return wanted


async def _all(names: Sequence[str], settings: Settings, found: Sequence[Case], options: run.Options) -> list[ModelResult]:
    embedder = await open_embedder(settings.engine)
    try:
        return [await _one(name, settings, embedder, found, options) for name in names]
    finally:
        await embedder.close()


async def _one(name: str, settings: Settings, embedder: Embedder, found: Sequence[Case], options: run.Options) -> ModelResult:
    patient = settings.engine.model_copy(update={"model": name, "deadline_s": PATIENCE_S, "player_deadline_s": PATIENCE_S})
    began = time.perf_counter()
    engine = await open_engine(patient)
    load_s = time.perf_counter() - began
    try:
        if isinstance(engine, AbsentEngine) and not patient.instinct_only:
            raise engine.problem
        mind = settings.mind if options.in_play else settings.mind.model_copy(update={"by_instinct": ()})  # else everything is asked
        minds = Minds(mind, embedder, options.seed)
        health = Health()
        with _bar() as bar:
            rows = await run.evaluate(engine, minds, found, options, _progress(bar, name), health)
        speed, size, parameters, temperature = Speed(), 0.0, 0.0, 0.0
        if isinstance(engine, LlamaEngine):
            if not health.given_up:
                speed = await measure(engine, load_s, engine.process.pid)
            header = read_header(engine.path, patient.max_header_bytes)
            size, parameters, temperature = header.size / 1e6, header.parameters / 1e6, engine.temperature
        return ModelResult(name, size, parameters, options.seed, options.grammar, temperature, tuple(rows), speed, health.deaths)
    finally:
        await engine.close()


def _bar() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)


def _progress(bar: Progress, name: str) -> run.Progress:
    tasks: dict[str, int] = {}

    def begin(kind: str, count: int) -> None:
        tasks[kind] = bar.add_task(f"{Path(name).stem[:20]}: {kind}", total=count)

    return run.Progress(begin, lambda kind: bar.advance(bar.task_ids[list(tasks).index(kind)]))
