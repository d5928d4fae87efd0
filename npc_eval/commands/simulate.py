"""`npc-server simulate`: plays a town as fast as the minds decide, or by the wall clock, and reports what happened."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from npc_eval.cost.sums import model_figures
from npc_eval.engines.from_folder import require_complete
from npc_eval.simulation.report import Report, as_json
from npc_eval.simulation.run import Simulation
from npc_eval.simulation.run import simulate as play
from npc_eval.society import measures
from npc_eval.society import report as society_report
from npc_eval.society.survey import measured, questions
from npc_eval.transcript import transcript as day_as_text
from npc_server import clock, interpreter
from npc_server.cli.options import (
    DAYS,
    SPEED,
    AsJson,
    Config,
    Force,
    Model,
    Mods,
    NoPolicies,
    People,
    Policies,
    Seed,
    Town,
    check_new_file,
    chosen_policies,
    engine_of,
    names_in,
    new_save,
    parsed_time,
    write_new_file,
)
from npc_server.cli.output import Console, log_to, moment, say, tell_of_model
from npc_server.config import Settings, load_settings
from npc_server.llm.best_here import with_named_model
from npc_server.local.server import local_server
from npc_server.memory.suffix import SUFFIX
from npc_server.platform.files import move_over
from npc_server.sandbox.town_world import TownWorld
from npc_server.sandbox.towns import Cast, find_cast
from npc_server.world.town_records import Story

Start = Annotated[str, typer.Option(help='Game time to begin at, such as "2026-05-04 06:00". Default: the start of the town.')]
Speed = Annotated[
    float | None,
    typer.Option(min=1, max=100_000, help=f"{SPEED} By default the town waits for all minds."),
]
Stories = Annotated[bool, typer.Option("--stories/--no-stories", help="Whisper each story of the town to its starter.")]
NoObservation = Annotated[bool, typer.Option("--no-observation", help="Let people forget what they see (an ablation).")]
NoReflection = Annotated[bool, typer.Option("--no-reflection", help="Let nobody reflect (an ablation).")]
Transcript = Annotated[Path | None, typer.Option(help="File that tells, hour by hour, who does, says and thinks what.")]
NoPlanning = Annotated[bool, typer.Option("--no-planning", help="Let people follow their routine without plans (an ablation).")]

SLOT = "simulation"
UNSYNCED = {"commit_wait_ms": 0, "full_sync": False}
"""Nothing waits for the disk before the finished save is written. After a power cut the folder of the play is thrown away."""


def simulate(
    town: Town = "millbrook",
    people: People = "",
    mods: Mods = None,
    days: Annotated[float, typer.Option(min=0.01, max=3650, help=DAYS)] = 1.0,
    seed: Seed = 0,
    save: Annotated[Path | None, typer.Option(help="Save file to create.")] = None,
    transcript: Transcript = None,
    model: Model = None,
    start: Start = "",
    speed: Speed = None,
    as_json_: AsJson = False,
    force: Force = False,
    policies: Policies = None,
    no_policies: NoPolicies = False,
    stories: Stories = True,
    no_observation: NoObservation = False,
    no_reflection: NoReflection = False,
    no_planning: NoPlanning = False,
    config: Config = None,
) -> None:
    """Play a town without a game, and report what its people did."""
    log_to()
    cast = find_cast(town, names_in(people), mods)
    mind = _switched_off(observation=no_observation, reflection=no_reflection, planning=no_planning)
    followed = measures.followed_stories(cast) if stories else ()
    files = chosen_policies(cast, policies, no_policies)
    simulation = _with_stories(Simulation(SLOT, seed, days, parsed_time(start, "--start"), policies=files, speed=speed), followed)
    kept = _checked(save, transcript, force)
    # The town is played in a folder beside the new file. The finished save is then moved into place as a whole.
    with tempfile.TemporaryDirectory(prefix=".npc-server-", dir=kept.parent if kept is not None else None) as folder_name:
        settings = _settings(config, Path(folder_name), mind, model)
        report, problem = asyncio.run(_run(settings, cast, simulation))
        path = settings.save.folder / f"{SLOT}{SUFFIX}"
        figures = {"name": settings.engine.model_name, "problem": problem, **model_figures(path)}
        society, made_up = measured(path, report, followed)
        _tell_in(transcript, path, report)
        if kept is not None:
            move_over(path, kept)
    if as_json_:
        about = {"seed": seed, "town": cast.town.id, "save": str(kept or ""), "model": figures, "speed": society_report.speed(report)}
        say(json.dumps({**as_json(report), **about, **society_report.as_json(society, made_up)}, ensure_ascii=False, indent=1))
    else:
        _summary(report, figures, kept)
        society_report.show(Console(soft_wrap=True, highlight=False), society, made_up, report)


def _switched_off(**ablations: bool) -> dict[str, bool]:
    """Returns the settings that ablations switch off. All others stay as the settings file has them."""
    return {name: False for name, is_off in ablations.items() if is_off}


def _settings(config: Path | None, folder: Path, mind: dict[str, Any], model: str | None) -> Settings:
    return with_named_model(load_settings(config, save={"folder": folder, **UNSYNCED}, mind=mind, **engine_of(model)))


def _checked(save: Path | None, transcript: Path | None, force: bool) -> Path | None:
    """Returns the path of the save to keep. Raises BadInput if one of the files cannot be created."""
    if transcript is not None:
        check_new_file(transcript, force)
    return new_save(save, force) if save is not None else None


def _tell_in(transcript: Path | None, save: Path, report: Report) -> None:
    if transcript is not None:
        write_new_file(transcript, day_as_text(save, report.speeches))


def _with_stories(simulation: Simulation, stories: Sequence[Story]) -> Simulation:
    """Adds to the simulation the whispers that start the stories, and the questions that everybody is asked about them at the end."""
    whispers = [(story.starter, story.whisper) for story in stories]
    return replace(simulation, whispers=whispers, questions=[question.text for question in questions(stories)])


async def _run(settings: Settings, cast: Cast, simulation: Simulation) -> tuple[Report, str]:
    """Returns the report, and why a wanted model was missing."""
    columns = (
        TextColumn("[bold]{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    async with local_server(settings, has_player=False) as local:
        interpreter.prepare()
        tell_of_model(local.problem)
        with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
            first = cast.town.start if simulation.start is None else simulation.start
            task = progress.add_task(moment(first), total=round(simulation.days * clock.DAY))

            def turned(world: TownWorld) -> None:
                progress.update(task, completed=world.now - first, description=moment(world.now))

            report = await play(local.connection, cast, simulation, turned)
            require_complete(local.engine)
            return report, local.problem


def _summary(report: Report, figures: dict[str, object], save: Path | None) -> None:
    """Prints the report as text."""
    console = Console(soft_wrap=True, highlight=False)
    console.print(
        f"{len(report.people)} people, {moment(report.start)} to {moment(report.end)}, played in {report.wall_s:.1f} s", markup=False
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
        console.print(
            f"{questions} questions of {len(starved)} people were not asked, because their share of tokens was spent", markup=False
        )
    for warning in report.warnings:
        console.print(f"warning: {warning}", markup=False)
    console.print(f"save: {save}" if save else "No save was kept; --save FILE keeps one.", markup=False)
