"""`npc-server demo`: shows a living town, in Godot if it is installed, else in the terminal."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from typing import Annotated

import typer

from npc_server.cli.demo_in_godot import never_opened, open_in_godot, why_not_in_godot
from npc_server.cli.demo_view import view
from npc_server.cli.options import (
    DAYS,
    SPEED,
    Config,
    Model,
    NoPolicies,
    People,
    Policies,
    SaveToPlay,
    Seed,
    Town,
    chosen_policies,
    engine_of,
    names_in,
    slot_of,
)
from npc_server.cli.output import Console, log_to, moment, say, tell_of_choice, tell_of_model
from npc_server.cli.step_up_line import tell_of_step_up
from npc_server.config import Settings, load_settings
from npc_server.llm.worker import patient
from npc_server.local.server import PATIENCE_S, local_server, with_own_saves
from npc_server.memory.files import private_folder
from npc_server.memory.suffix import SUFFIX
from npc_server.platform.signals import stop_on_signals
from npc_server.sandbox.demo import DemoOptions, play_demo
from npc_server.sandbox.towns import find_cast

IN_TERMINAL = ("speed", "people", "days", "seed", "save", "policies", "no_policies", "fresh", "config")
"""Options that the town in Godot does not have: it has controls of its own, and the saves of a game."""


def demo(
    context: typer.Context,
    terminal: Annotated[bool, typer.Option("--terminal", help="Show the town in the terminal, even if Godot is installed.")] = False,
    speed: Annotated[float, typer.Option(min=1, max=100_000, help=f"{SPEED} Walks are shown slower, and nights faster.")] = 400.0,
    fast: Annotated[bool, typer.Option("--fast", help="Play as fast as the minds decide, whatever --speed says.")] = False,
    model: Model = None,
    town: Town = "millbrook",
    people: People = "",
    days: Annotated[float, typer.Option(min=0.001, max=3650, help=DAYS)] = 1.0,
    seed: Seed = 7,
    save: SaveToPlay = None,
    policies: Policies = None,
    no_policies: NoPolicies = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Start over with a new save in place of the old one.")] = False,
    config: Config = None,
) -> None:
    """Show a living town: its people, and what they do, say and think. The town goes on where the last demo ended."""
    given = [f"--{name.replace('_', '-')}" for name in IN_TERMINAL if _is_given(context, name)]
    only = f"{', '.join(given)} {'work' if len(given) > 1 else 'works'} only there" if given else ""
    reason = "" if terminal or fast else only or why_not_in_godot(os.environ, town=town)
    if not (terminal or fast or reason):
        if never_opened():
            tell_of_step_up(load_settings(config, **engine_of(model)).engine)
        open_in_godot(os.environ, model, arguments=(f"--town={town}",))
        return
    if reason:
        say(f"The town runs in the terminal: {reason}.", err=True)
    cast = find_cast(town, names_in(people))
    settings = load_settings(config, **engine_of(model))
    if fast:
        settings = settings.model_copy(update={"engine": patient(settings.engine)})
    folder, slot = slot_of(save) if save is not None else (settings.save.folder, f"demo {cast.town.id}".replace("_", "-"))
    files = chosen_policies(cast, policies, no_policies)
    options = DemoOptions(cast, slot, seed, days, speed, fast, fresh, "", files)
    asyncio.run(_play(with_own_saves(settings, folder, game_speed=speed), options))


def _is_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


async def _play(settings: Settings, options: DemoOptions) -> None:
    folder = settings.save.folder
    private_folder(folder)
    if not (folder / f"{options.slot}{SUFFIX}").exists():
        tell_of_step_up(settings.engine)
    stop = asyncio.Event()
    with (folder / f"{options.slot}.log").open("a", encoding="utf-8") as log, stop_on_signals(stop):
        log_to(log)
        say("Starting the server...", err=True)
        async with local_server(settings, patience_s=PATIENCE_S) as local:
            tell_of_model(local.problem)
            options = replace(options, model="" if local.problem else local.host.engine.status().model)
            tell_of_choice(local.host.engine.status().told)
            scene = await play_demo(local.connection, options, lambda scene: view(scene, Console()), stop)
    path = folder / f"{options.slot}{SUFFIX}"
    say(f"\n{scene.world.town.name}, {moment(scene.world.now)}. The save is {path}")
    say(f"Continue it:             npc-server demo --terminal --save '{path}'")
    say(f"See what they remember:  npc-server mind '{path}' {next(iter(scene.world.bodies), 'NAME')}")
