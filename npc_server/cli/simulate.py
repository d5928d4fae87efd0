"""`npc-server simulate`: plays a town in lockstep, as fast as it can, and reports what happened."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from npc_server import clock
from npc_server.cli import society, society_report
from npc_server.cli.cost_sums import Sum, sums, total
from npc_server.cli.local import SUFFIX, local_server, log_to, tell_of_model
from npc_server.cli.output import Console, say
from npc_server.cli.policy import chosen_policies
from npc_server.config import Settings, load_settings
from npc_server.errors import BadInput
from npc_server.memory import ledger
from npc_server.memory.database import reading
from npc_server.records import Document, GameTime
from npc_server.sandbox.run import Report, as_json
from npc_server.sandbox.run import simulate as play
from npc_server.sandbox.town_world import TownWorld
from npc_server.sandbox.towns import Cast, find_cast
from npc_server.world.town_records import Story


def simulate(
    town: Annotated[str, typer.Option(help="A shipped town by name, or a town file.")] = "millbrook",
    people: Annotated[str, typer.Option(help="Ids of who plays, joined by commas; everybody where left out.")] = "",
    days: Annotated[float, typer.Option(min=0.01, max=3650, help="Game days to play.")] = 1.0,
    seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 0,
    save: Annotated[Path | None, typer.Option(help="Save file to make; none is kept where left out.")] = None,
    model: Annotated[str | None, typer.Option(help="A model's name or GGUF file, or `none` for instinct; else the settings'.")] = None,
    start: Annotated[str, typer.Option(help='Game time to begin at, "2026-05-04 06:00"; else the town\'s.')] = "",
    as_json_: Annotated[bool, typer.Option("--json", help="Print one JSON object with every action.")] = False,
    force: Annotated[bool, typer.Option(help="Replace the save file if there is one.")] = False,
    policies: Annotated[Path | None, typer.Option(help="File of policies the people begin with; else the town's own.")] = None,
    no_policies: Annotated[bool, typer.Option("--no-policies", help="Begin without the town's own policies.")] = False,
    stories: Annotated[bool, typer.Option("--stories/--no-stories", help="Whisper the town's stories to those who begin them.")] = True,
    no_observation: Annotated[bool, typer.Option("--no-observation", help="People do not remember what they see (ablation).")] = False,
    no_reflection: Annotated[bool, typer.Option("--no-reflection", help="People do not reflect (ablation).")] = False,
    no_planning: Annotated[bool, typer.Option("--no-planning", help="People live by routine, not by plans (ablation).")] = False,
    config: Annotated[Path | None, typer.Option(help="Settings file.")] = None,
) -> None:
    """Plays a town without a game, in lockstep, and says what its people did."""
    log_to()
    cast = find_cast(town, [name.strip() for name in people.split(",") if name.strip()])
    begin = _start(start)
    with ExitStack() as stack:
        kept = _kept(save, force) if save is not None else None
        # Played beside where it is to lie, and moved there as a whole when the run is over: any name will do.
        beside = kept.parent if kept is not None else None
        folder, slot = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix=".npc-server-", dir=beside))), "simulation"
        path = folder / f"{slot}{SUFFIX}"
        sections: dict[str, dict[str, Any]] = {"save": {"folder": folder}}
        if model is not None:
            sections["engine"] = {"model": model}
        off = {"observation": no_observation, "reflection": no_reflection, "planning": no_planning}
        sections["mind"] = {name: False for name, is_off in off.items() if is_off}
        settings = load_settings(config, **sections)
        followed = tuple(story for story in cast.town.stories if stories and any(it.id == story.starter for it in cast.people))
        questions = society_report.survey().questions(followed) if followed else []
        files = chosen_policies(cast, policies, no_policies)
        report, model_problem = asyncio.run(_run(settings, cast, slot, seed, days, begin, followed, questions, files))
        figures = {"name": settings.engine.model_name, "problem": model_problem, **model_figures(path)}
        _, lives = society.read(path)
        measured = society.measure(followed, lives)
        survey = society_report.survey()
        made_up = society.made_up(questions, report.answers, lives, survey.deny, survey.claim)
        if kept is not None:
            path.replace(kept)
    if as_json_:
        result = as_json(report)
        result["seed"] = seed
        result["town"] = cast.town.id
        result["save"] = str(kept or "")
        result["model"] = figures
        result |= society_report.as_json(measured, made_up)
        result["speed"] = society_report.speed(report)
        say(json.dumps(result, ensure_ascii=False, indent=1))
    else:
        _summary(report, figures, kept)
        society_report.show(Console(soft_wrap=True, highlight=False), measured, made_up, report)


def _kept(save: Path, force: bool) -> Path:
    """The file to make. A name without an ending gets the usual one."""
    path = (save if save.suffix else save.with_name(save.name + SUFFIX)).absolute()
    if not path.parent.is_dir():
        raise BadInput(f"There is no folder {str(path.parent)!r}.", "Make it first, or choose another place.", save=path)
    if path.exists() and not force:
        raise BadInput(f"There is a save {str(path)!r} already.", "Choose another name, or add --force to replace it.", save=path)
    return path


async def _run(
    settings: Settings,
    cast: Cast,
    slot: str,
    seed: int,
    days: float,
    begin: GameTime | None,
    stories: Sequence[Story] = (),
    questions: Sequence[society.Question] = (),
    policies: Sequence[Document] = (),
) -> tuple[Report, str]:
    columns = (
        TextColumn("[bold]{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    async with local_server(settings) as local:
        problem = tell_of_model(settings.engine, local.engine())
        with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
            first = cast.town.start if begin is None else begin
            task = progress.add_task(_moment(first), total=round(days * clock.DAY))

            def turned(world: TownWorld) -> None:
                progress.update(task, completed=world.now - first, description=_moment(world.now))

            report = await play(
                local.connection,
                cast,
                slot,
                seed,
                days,
                begin,
                on_turn=turned,
                whispers=[(story.starter, story.whisper) for story in stories],
                questions=[question.text for question in questions],
                policies=policies,
            )
            return report, problem


def model_figures(save: Path) -> dict[str, object]:
    """What the save's ledger says of the model: calls and tokens, and how often instinct answered, in all and by stage; and whose
    questions were not asked because their share of tokens was spent."""
    with reading(save) as db:
        rows = ledger.spent(db)
    starved = {npc: it.refused for npc, it in sorted(sums(rows, lambda row: row.npc).items()) if it.refused}
    by_stage = {stage: _figures(it) for stage, it in sorted(sums(rows, lambda row: row.stage).items())}
    return {**_figures(total(rows)), "by_stage": by_stage, "starved": starved}


def _figures(it: Sum) -> dict[str, int]:
    return {
        "calls": it.calls,
        "prompt_tokens": it.prompt,
        "cached_tokens": it.cached,
        "reply_tokens": it.reply,
        "instinct": it.instinct,
    }


def _start(text: str) -> GameTime | None:
    if not text:
        return None
    try:
        return clock.parse_datetime(text)
    except ValueError as error:
        raise BadInput(f"--start {text!r} is not a date and time.", 'Write it like "2026-05-04 06:00".') from error


def _moment(at: GameTime) -> str:
    return f"{clock.date(at)}, {clock.hhmm(at)}"


def _summary(report: Report, figures: dict[str, object], save: Path | None) -> None:
    """A short account for people."""
    console = Console(soft_wrap=True, highlight=False)
    console.print(
        f"{len(report.people)} people, {_moment(report.start)} to {_moment(report.end)}, played in {report.wall_s:.1f} s", markup=False
    )
    table = Table("who", "actions", "model", "policy", "instinct", "memories", "could not")
    for npc in report.people:
        mine = [it for it in report.actions if it.npc == npc]
        by = Counter(it.source.value for it in mine)
        memories = sum(report.memories.get(npc, {}).values())
        failed = sum(1 for it in report.failures if it.npc == npc)
        table.add_row(npc, str(len(mine)), str(by["model"]), str(by["policy"]), str(by["instinct"]), str(memories), str(failed))
    console.print(table)
    decided = Counter(it.source.value for it in report.actions)
    percent = 100 / max(1, len(report.actions))
    shares = ", ".join(f"{source} {decided[source] * percent:.0f} %" for source in ("model", "policy", "instinct"))
    console.print(f"decided by: {shares}", markup=False)
    console.print(
        f"model {figures['name']}: {figures['calls']} calls, {figures['prompt_tokens']} prompt tokens ({figures['cached_tokens']} cached), "
        f"{figures['reply_tokens']} reply tokens; instinct answered {figures['instinct']} times",
        markup=False,
    )
    starved = figures["starved"]
    if isinstance(starved, dict) and starved:
        questions = sum(starved.values())
        console.print(f"{questions} questions of {len(starved)} people were not asked: their share of tokens was spent", markup=False)
    for warning in report.warnings:
        console.print(f"warning: {warning}", markup=False)
    console.print(f"save: {save}" if save else "No save was kept; --save FILE keeps one.", markup=False)
