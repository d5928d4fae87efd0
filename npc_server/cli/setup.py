"""`npc-server setup`: finds the best model for this machine, and gets it when told to."""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from npc_server.cli.get_model import get_model
from npc_server.cli.options import Config
from npc_server.cli.output import Console, say
from npc_server.cli.step_up_line import told
from npc_server.config import DEFAULT_FILE, EngineSettings, Settings, load_settings
from npc_server.errors import EngineError, ModelMissing
from npc_server.llm import models
from npc_server.llm.best_here import choice_of
from npc_server.llm.engine import listed
from npc_server.llm.fitting_kinds import all_kinds, fitting
from npc_server.llm.measure_here import measure_here
from npc_server.llm.runtime import find_runtime, is_compiled
from npc_server.llm.speed_file import MeasuredModel, Setup, known_speed, measured
from npc_server.llm.step_up import Machine, StepUp, best, better_than, smallest, this_machine, too_large

PEOPLE = (3, 25)
"""For saves of so many people `setup` says what a model is asked."""


def setup(
    yes: Annotated[bool, typer.Option("--yes", help="Get the model without a question.")] = False,
    config: Config = None,
) -> None:
    """Look at memory and graphics card, measure how fast a model is here, and get the best one of the catalogue that fits.

    Without a network it says so, and the model of the settings stays.
    """
    settings = load_settings(config)
    engine = settings.engine
    machine = this_machine(engine)
    say(described(machine))
    if not machine.graphics and engine.n_gpu_layers and is_compiled(engine.runtime):
        say("If there is a graphics card, build llama.cpp for it: make setup GPU=vulkan, see docs/models.md.")
    for name in (engine.model, engine.reranker):
        if (entry := models.find_entry(name)) is not None:
            _make_sure(entry, engine)
    machine = replace(machine, measured=_measured(engine))
    if engine.takes_best:
        _set_up_best(settings, machine, yes)
        return
    with suppress(EngineError):
        _tell_kinds(models.resolve(engine.model, engine.models_folder), settings)
    step = best(machine)
    if step is None or not better_than(engine.model, step):
        say(f"{engine.model_name} stays: {_why(engine, step, machine)}")
        return
    if not _is_got(step, engine, yes):
        say(f"{engine.model_name} stays.")
        return
    _use(step.entry.name, config)


def _set_up_best(settings: Settings, machine: Machine, yes: bool) -> None:
    """Where the best model that is here is used, say which one that is, and get a better one if there is one."""
    name = _tell_choice(settings)
    step = best(machine) or (None if machine.measured else smallest(machine))
    if step is None or not better_than(name, step):
        say(f"Nothing better fits: {too_large(name, machine) or 'the catalogue has no larger model.'}")
    elif _is_got(step, settings.engine, yes):
        _measured(settings.engine)
        _tell_choice(settings)


def _tell_choice(settings: Settings) -> str:
    """Say which model the next start takes, why, and what it is asked. Return its name, or nothing without one."""
    chosen, why = choice_of(settings.engine)
    say(why)
    if chosen is None:
        return ""
    _tell_kinds(chosen.path, settings)
    return chosen.entry.name


def _tell_kinds(path: Path, settings: Settings) -> None:
    """Say what a model has the time for in a small and in a large town."""
    speed = known_speed(settings.engine.models_folder, path, Setup.of(settings.engine))
    for people in PEOPLE if speed is not None and settings.mind.asked == "fitting" else ():
        asked, whole = fitting(speed, people, settings.mind.game_speed), all_kinds().kinds
        left = f" Instinct does {listed([it.name for it in whole[len(asked) :]])}." if len(asked) < len(whole) else ""
        say(f"With {people} people it has the time for {listed([it.name for it in asked])}.{left}")


def _is_got(step: StepUp, engine: EngineSettings, yes: bool) -> bool:
    """Propose a model, and get it if somebody agrees. Return whether it is here now."""
    say(f"The best of the catalogue that fits: {told(step)}")
    if not (yes or _agreed(step)):
        say("Get it at any time: npc-server setup --yes")
        return False
    try:
        get_model(step.entry, engine)
    except EngineError as error:
        say(f"npc-server: {error}", err=True)
        return False
    return True


def described(machine: Machine) -> str:
    card = f"{machine.graphics} with {machine.graphics_mb / 1000:.1f} GB" if machine.graphics else "no graphics card that llama.cpp can use"
    cores = f"{machine.cores} core{'s' if machine.cores > 1 else ''}"
    return f"This machine: {machine.memory_mb / 1000:.1f} GB of memory, {cores}, {card}."


def _make_sure(entry: models.CatalogueModel, engine: EngineSettings) -> None:
    """Makes a model of the settings, if it is one that is made and not here."""
    try:
        if entry.package:
            get_model(entry, engine)
        else:
            models.resolve(entry.name, engine.models_folder)
    except EngineError as error:
        say(f"npc-server: {error}", err=True)


def _measured(engine: EngineSettings) -> tuple[MeasuredModel, ...]:
    """Measures models that are here, says how fast they are and what runs them, and returns all that is known of this machine."""
    try:
        runtime = find_runtime(engine.runtime)
    except EngineError as error:
        say(f"npc-server: {error}", err=True)
        return ()
    with Console(stderr=True).status("Measuring how fast this machine is"):
        found = asyncio.run(measure_here(engine))
    if not found:
        say(f"Models run with {runtime.told}. No model is here yet, so the speed of this machine is not known.")
    for it in found:
        rates = f"reads {it.speed.read_per_s:.0f} and writes {it.speed.written_per_s:.0f} tokens a second here"
        say(f"{it.path.stem} {rates}, with {runtime.told}.")
    return measured(engine.models_folder, Setup.of(engine))


def _why(engine: EngineSettings, step: StepUp | None, machine: Machine) -> str:
    if models.find_entry(engine.model) is None:
        return "it was chosen in the settings."
    if step is not None and step.entry.name == engine.model:
        return "it is the best that fits."
    return too_large(engine.model, machine) or "nothing better fits."


def _agreed(step: StepUp) -> bool:
    return sys.stdin.isatty() and typer.confirm(f"Download {step.entry.size_mb} MB?", default=False)


def _use(name: str, config: Path | None) -> None:
    """Names the model in the settings file if there is none yet. A file that somebody wrote is left alone."""
    file = config or DEFAULT_FILE
    if file.exists():
        say(f'Use it: write model = "{name}" under [engine] in {file}.')
        return
    try:
        file.write_text(f'[engine]\nmodel = "{name}"\n', encoding="utf-8")
    except OSError as error:
        raise ModelMissing(f"{str(file)!r} cannot be written: {error.strerror}.", f"Use the model with --model {name}.") from error
    say(f"{file} says so now: servers that start in this folder use it.")
