"""`npc-server eval preference`: compares blind how two models, or two builds of npc-server, answer the same lines of players."""

from __future__ import annotations

import asyncio
import json
import shlex
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from npc_eval.engines.from_folder import require_complete
from npc_eval.player_lines import own_lines, read_lines
from npc_eval.preference import files, report
from npc_eval.preference.judge import Pair, judged, pairs
from npc_eval.preference.played import played
from npc_server.cli.options import AsJson, Config, Force, Model, Seed, check_new_file, engine_of, write_new_file
from npc_server.cli.output import Console, log_to, say
from npc_server.config import EngineSettings, load_settings
from npc_server.documents import read_document
from npc_server.errors import BadInput
from npc_server.llm.best_here import with_named_model
from npc_server.llm.start import missing_model, open_engine

PATIENT_S = 24 * 3600.0
"""Wall seconds for a verdict: a judge may be a person."""
OUT = "File to create."
THIS = "from npc_server.cli import main; main()"
"""Runs this npc-server, wherever its script lies."""
COLUMNS = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())

app = typer.Typer(name="preference", help="Compare blind how two models or builds answer the same lines of players.", no_args_is_help=True)


@app.callback()
def group() -> None:
    """Compare how people talk."""


@app.command()
def run(
    lines: Annotated[Path | None, typer.Option(help="File of players' lines. The default is the built-in lines.")] = None,
    model: Model = None,
    command: Annotated[str, typer.Option(help="npc-server to run, such as that of an older build. The default is this one.")] = "",
    by: Annotated[str, typer.Option(help="What the answers are called in reports. The default is command and model.")] = "",
    at_once: Annotated[int, typer.Option(min=1, help="Talks that are played at the same time.")] = 1,
    timeout: Annotated[float, typer.Option(min=1, help="Wall seconds that one talk may take.")] = 600,
    out: Annotated[Path, typer.Option(help=OUT)] = Path("talks.json"),
    force: Force = False,
) -> None:
    """Let people of the towns answer lines of players. Each talk begins anew."""
    log_to()
    check_new_file(out, force)
    talks = read_lines(read_document(lines) if lines else own_lines())
    words = shlex.split(command) if command else [sys.executable, "-c", THIS]
    more = [*(("--model", model) if model is not None else ()), *(() if command else ("--sources",))]
    name = by or " ".join(part for part in (command, model or "") if part) or "this build"
    with (
        tempfile.TemporaryDirectory(prefix="npc-server-preference-") as folder,
        Progress(*COLUMNS, console=_stderr(), transient=True) as bars,
    ):
        task = bars.add_task("talking", total=len(talks))
        found = asyncio.run(played(talks, words, more, Path(folder), at_once, timeout, lambda: bars.advance(task)))
    write_new_file(out, files.as_text(files.TalksFile(by=name, talks=tuple(found))))
    say(f"{sum(len(talk.lines) for talk in found)} answers in {len(found)} talks are in {out}.")
    if told := report.by_whom(found):
        say(told)


@app.command()
def judge(
    first: Annotated[Path, typer.Argument(metavar="FIRST", help="File of `run`.")],
    second: Annotated[Path, typer.Argument(metavar="SECOND", help="Another file of `run`, for the same lines.")],
    model: Model = None,
    seed: Seed = 7,
    out: Annotated[Path, typer.Option(help=OUT)] = Path("verdicts.json"),
    force: Force = False,
    config: Config = None,
) -> None:
    """Let a model judge both answers to each line. It does not know which is which, and the order is random.

    A person can judge with --model by-hand:FOLDER and `npc-server answer FOLDER`.
    """
    log_to()
    check_new_file(out, force)
    one, other = files.read_talks(first), files.read_talks(second)
    files.check_alike(one, other)
    chosen = list(pairs(one, other, seed))
    if not chosen:
        raise BadInput("All answers are the same in both files.", "Compare other models or builds.")
    settings = with_named_model(load_settings(config, **engine_of(model))).engine
    with Progress(*COLUMNS, console=_stderr(), transient=True) as bars:
        task = bars.add_task("judging", total=len(chosen))
        found = asyncio.run(_judged(settings, one, other, seed, chosen, lambda: bars.advance(task)))
    write_new_file(out, files.as_text(found))
    say(report.sentence(report.made_from([found])))


async def _judged(
    settings: EngineSettings, one: files.TalksFile, other: files.TalksFile, seed: int, chosen: list[Pair], done: Callable[[], None]
) -> files.VerdictsFile:
    patient = settings.model_copy(update={"deadline_s": PATIENT_S, "player_deadline_s": PATIENT_S})
    engine = await open_engine(patient)
    try:
        problem = missing_model(patient, engine)
        if problem or patient.instinct_only:
            raise BadInput(f"A judge needs a model. {problem}".strip(), "Name one with --model.")
        verdicts, unanswered = await judged(engine, one, other, chosen, done)
        require_complete(engine)
    finally:
        await engine.close()
    return files.VerdictsFile(
        talks=(one.digest(), other.digest()), by=(one.by, other.by), judge=patient.model_name, seed=seed,
        verdicts=tuple(verdicts), unanswered=unanswered,
    )  # fmt: skip


@app.command(name="report")
def report_(
    verdicts: Annotated[list[Path], typer.Argument(metavar="VERDICTS...", help="Files of `judge`, all about the same talks.")],
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the report as Markdown.")] = False,
    as_json: AsJson = False,
) -> None:
    """Print how often each side is preferred, makes sense and is wrong, with intervals of 95 %."""
    log_to()
    read = [files.read_verdicts(path) for path in verdicts]
    for path, it in zip(verdicts, read, strict=True):
        if it.talks != read[0].talks:
            raise BadInput(f"{path} judges other talks than {verdicts[0]}.", "Report them one by one.")
    made = report.made_from(read)
    if as_json:
        say(json.dumps(report.as_json(made), ensure_ascii=False, indent=1))
    elif markdown:
        say(report.markdown(made), end="")
    else:
        head, *others = report.rows(made)
        table = Table(*head)
        for row in others:
            table.add_row(*row)
        console = Console(highlight=False)
        console.print(table)
        console.print(report.sentence(made))


def _stderr() -> Console:
    return Console(stderr=True)
