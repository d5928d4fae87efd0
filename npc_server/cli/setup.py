"""`npc-server setup`: finds the best model for this machine, and gets it when told to."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from npc_server.cli.get_model import get_model
from npc_server.cli.options import Config
from npc_server.cli.output import Console, say
from npc_server.cli.step_up_line import told
from npc_server.config import DEFAULT_FILE, EngineSettings, load_settings
from npc_server.errors import EngineError, ModelMissing
from npc_server.llm import models
from npc_server.llm.measure_here import measure_here
from npc_server.llm.speed_file import MeasuredModel, Setup, measured
from npc_server.llm.step_up import Machine, StepUp, best, better_than, this_machine, too_large


def setup(
    yes: Annotated[bool, typer.Option("--yes", help="Get the model without a question.")] = False,
    config: Config = None,
) -> None:
    """Look at memory and graphics card, measure how fast a model is here, and get the best one of the catalogue that fits.

    Without a network it says so, and the model of the settings stays.
    """
    engine = load_settings(config).engine
    machine = this_machine(engine)
    say(described(machine))
    if not machine.graphics and engine.n_gpu_layers:
        say("If there is a graphics card, build llama.cpp for it: make setup GPU=vulkan, see docs/models.md.")
    now = models.find_entry(engine.model)
    if now is not None:
        _make_sure(now, engine)
    machine = replace(machine, measured=_measured(engine))
    step = best(machine)
    if step is None or not better_than(engine.model, step):
        say(f"{engine.model_name} stays: {_why(engine, step, machine)}")
        return
    say(f"The best of the catalogue that fits: {told(step)}")
    if not (yes or _agreed(step)):
        say(f"{engine.model_name} stays. Get the other at any time: npc-server setup --yes")
        return
    try:
        get_model(step.entry, engine)
    except EngineError as error:
        say(f"npc-server: {error}", err=True)
        say(f"{engine.model_name} stays.")
        return
    _use(step.entry.name, config)


def described(machine: Machine) -> str:
    card = f"{machine.graphics} with {machine.graphics_mb / 1000:.1f} GB" if machine.graphics else "no graphics card that llama.cpp can use"
    cores = f"{machine.cores} core{'s' if machine.cores > 1 else ''}"
    return f"This machine: {machine.memory_mb / 1000:.1f} GB of memory, {cores}, {card}."


def _make_sure(entry: models.CatalogueModel, engine: EngineSettings) -> None:
    """Makes the model of the settings, if it is one that is made and not here."""
    try:
        if entry.package:
            get_model(entry, engine)
        else:
            models.resolve(entry.name, engine.models_folder)
    except EngineError as error:
        say(f"npc-server: {error}", err=True)


def _measured(engine: EngineSettings) -> tuple[MeasuredModel, ...]:
    """Measures a model that is here, says how fast it is, and returns all that is known of this machine."""
    with Console(stderr=True).status("Measuring how fast this machine is"):
        found = asyncio.run(measure_here(engine))
    if found is None:
        say("No model is here yet, so the speed of this machine is not known. Get one: npc-server model list")
    else:
        speed = found.speed
        say(f"{found.path.stem} reads {speed.read_per_s:.0f} and writes {speed.written_per_s:.0f} tokens a second here.")
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
