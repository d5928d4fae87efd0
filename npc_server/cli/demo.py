"""`npc-server demo`: the town, alive: in Godot where there is one, else in the terminal."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from npc_server import clock
from npc_server.cli.demo_view import view
from npc_server.cli.options import chosen_policies, engine_of, names_in, slot_of
from npc_server.cli.output import Console, log_to, moment, say, tell_of_model
from npc_server.config import Settings, load_settings
from npc_server.errors import NpcServerError, SaveNotFound
from npc_server.evaluation.godot import ROOT, find_godot, find_project, import_project, needs_import
from npc_server.evaluation.local_server import Local, local_server, with_own_saves
from npc_server.memory.listing import SUFFIX
from npc_server.records import Document, GameTime, MindEvent, Outcome
from npc_server.sandbox.client import PlayClient, playing
from npc_server.sandbox.live import Live, states
from npc_server.sandbox.lockstep import Lockstep
from npc_server.sandbox.run import reopened
from npc_server.sandbox.scene import Scene
from npc_server.sandbox.town_world import TownWorld
from npc_server.sandbox.towns import Cast, find_cast

FIGURES_S = 1.0
"""Wall seconds between two looks at how often the model answered."""
GAME = "npc-server demo"
"""Whose saves the demo's are: a game that shares the folder of saves does not open them."""


@dataclass(frozen=True)
class DemoOptions:
    """What the command line asked for."""

    cast: Cast
    slot: str
    folder: Path
    seed: int
    days: float
    speed: float
    fast: bool
    fresh: bool
    model: str
    policies: tuple[Document, ...] = ()


def demo(
    terminal: Annotated[bool, typer.Option("--terminal", help="Stay in the terminal even where Godot could open.")] = False,
    speed: Annotated[
        float, typer.Option(min=1, max=100_000, help="Game seconds a wall second; walks are shown slower, nights faster.")
    ] = 400.0,
    fast: Annotated[bool, typer.Option("--fast", help="As fast as the minds can decide, instead of by the clock.")] = False,
    model: Annotated[str | None, typer.Option(help="A model's name or GGUF file, or `none` for instinct; else the settings'.")] = None,
    town: Annotated[str, typer.Option(help="A shipped town by name, or a town file.")] = "millbrook",
    people: Annotated[str, typer.Option(help="Ids of who plays, joined by commas; everybody where left out.")] = "",
    days: Annotated[float, typer.Option(min=0.001, max=3650, help="Game days until it stops by itself.")] = 1.0,
    seed: Annotated[int, typer.Option(help="Seed of a new save.")] = 7,
    save: Annotated[Path | None, typer.Option(help=f"Save file to play, NAME{SUFFIX}; made when it is not there.")] = None,
    policies: Annotated[Path | None, typer.Option(help="File of policies a new save begins with; else the town's own.")] = None,
    no_policies: Annotated[bool, typer.Option("--no-policies", help="A new save begins without the town's own policies.")] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Start over: the save is made anew.")] = False,
    config: Annotated[Path | None, typer.Option(help="Settings file.")] = None,
) -> None:
    """Shows the town living: its people, what they do, say and think. Goes on where the last demo ended."""
    reason = "" if terminal or fast else why_not(os.environ, town=town)
    if not (terminal or fast or reason):
        open_town(os.environ, model, arguments=(f"--town={town}",))
        return
    if reason:
        say(f"The town runs in the terminal: {reason}.", err=True)
    cast = find_cast(town, names_in(people))
    settings = load_settings(config, **engine_of(model))
    folder, slot = slot_of(save) if save is not None else (settings.save.folder, f"demo {cast.town.id}".replace("_", "-"))
    files = chosen_policies(cast, policies, no_policies)
    options = DemoOptions(cast, slot, folder, seed, days, speed, fast, fresh, settings.engine.model_name, files)
    asyncio.run(_demo(with_own_saves(settings, folder), options))


# ---- in Godot


def has_display(environment: Mapping[str, str]) -> bool:
    return sys.platform in ("win32", "darwin") or bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))


def why_not(environment: Mapping[str, str], root: Path = ROOT, town: str = "millbrook") -> str:
    """Why a town, by name or file, cannot open in Godot; empty when it can."""
    if not has_display(environment):
        return "there is no display"
    if find_godot(environment, root) is None:
        return "no Godot 4.4 or newer is on the PATH or in $GODOT"
    if find_project(root) is None:
        return "the Godot project or its bridge is not here (`make bridge` builds it in the repository)"
    if town not in {path.name for path in (root / "godot_project" / "demo" / "towns").iterdir()}:
        return f"the Godot demo has no town {town!r}"
    return ""


def open_town(environment: Mapping[str, str], model: str | None, root: Path = ROOT, arguments: Sequence[str] = ()) -> None:
    """Shows the town until its window is closed; the game starts the server itself. `arguments` are the demo's own, such as
    `--town=alderwick`. Raises NpcServerError."""
    godot, folder = find_godot(environment, root), find_project(root)
    assert godot is not None
    assert folder is not None
    # The game looks for `npc-server` on the PATH: it is to find the one that opened it.
    inherited = {**os.environ, **environment}
    inherited["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), inherited.get("PATH", "")])
    if model is not None:
        inherited["NPC_SERVER_ENGINE__MODEL"] = model
    try:
        if needs_import(folder):
            say("Importing the Godot project: some seconds, once and after a change of its scripts.", err=True)
            import_project(godot, folder, inherited)
        code = subprocess.run(
            [str(godot), "--path", str(folder), *(("--", *arguments) if arguments else ())], env=inherited, check=False
        ).returncode
    except KeyboardInterrupt:
        say("Closed. What was played is kept, and the town goes on from there the next time.")
        return
    except OSError as error:
        raise NpcServerError(f"Godot could not be started: {error.strerror}.", "Check $GODOT, or use --terminal.") from error
    if code not in (0, -2, 130):
        raise NpcServerError(f"Godot ended with code {code}.", "Its messages stand above; --terminal shows the town without it.")


# ---- in the terminal


async def _demo(settings: Settings, options: DemoOptions) -> None:
    options.folder.mkdir(parents=True, exist_ok=True)
    log_path = options.folder / f"{options.slot}.log"
    stop = asyncio.Event()
    with log_path.open("a", encoding="utf-8") as log, interrupts(stop):
        log_to(log)
        say("Starting the server...", err=True)
        async with local_server(settings) as local:
            tell_of_model(local.problem)
            scene = await _play(local, options, stop)
    path = options.folder / f"{options.slot}{SUFFIX}"
    say(f"\n{scene.world.town.name}, {moment(scene.world.now)}. The save is {path}")
    say(f"Go on from there:      npc-server demo --terminal --save '{path}'")
    somebody = next(iter(scene.world.bodies), "NAME")
    say(f"What they remember:    npc-server mind '{path}' {somebody}")


async def _play(local: Local, options: DemoOptions, stop: asyncio.Event) -> Scene:
    """Opens the save, plays until the end or `stop`, saves and closes."""
    connection = local.connection
    if options.fresh:
        with contextlib.suppress(SaveNotFound):
            await connection.delete_save(options.slot)
    taken = {info.slot for info in await local.host.list_saves()}
    if options.slot not in taken:
        cast = options.cast
        await connection.create_save(options.slot, cast.town_file, cast.persona_files, options.seed, 0, options.policies, GAME)
    save = await connection.open_save(options.slot, game=GAME)
    async with playing(connection, save) as client:
        world = await reopened(connection, save, options.cast, options.cast.town.start)
        now = world.now
        client.send(states(world))
        scene = Scene(world, model=options.model)
        async with _figures(local, client, scene):
            await _show(client, world, scene, options, now + round(options.days * clock.DAY), stop)
        await connection.save_game(client.session_id)
        return scene


@contextlib.asynccontextmanager
async def _figures(local: Local, client: PlayClient, scene: Scene) -> Any:
    """Keeps the counts of answers in the scene up to date."""

    async def look() -> None:
        while True:
            with contextlib.suppress(NpcServerError):
                minds = await local.connection.minds(client.session_id, list(scene.people))
                scene.model_answers = sum(mind.model_answers for mind in minds)
                scene.policy_answers = sum(mind.policy_answers for mind in minds)
                scene.instinct_answers = sum(mind.instinct_answers for mind in minds)
            await asyncio.sleep(FIGURES_S)

    task = asyncio.get_running_loop().create_task(look())
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def _show(client: PlayClient, world: TownWorld, scene: Scene, options: DemoOptions, end: GameTime, stop: asyncio.Event) -> None:
    def heard(event: MindEvent) -> None:
        scene.heard(event)

    def happened(outcome: Outcome, at: GameTime) -> None:
        scene.happened(outcome)

    with view(scene, Console()) as draw:

        def frame(pace: float) -> None:
            scene.pace = pace
            draw()

        if options.fast:
            lockstep = Lockstep(client, world, heard, on_outcome=happened)
            loop = asyncio.get_running_loop()
            while world.now < end and not stop.is_set():
                before, wall = world.now, loop.time()
                await lockstep.turn(end)
                frame((world.now - before) / max(loop.time() - wall, 1e-3))
            await lockstep.finish()
        else:
            await Live(client, world, options.speed, heard, happened, frame).run(end, stop)


@contextmanager
def interrupts(stop: asyncio.Event) -> Iterator[None]:
    """Ctrl-C and SIGTERM set `stop`, so that the town is saved; a second one ends at once."""
    loop = asyncio.get_running_loop()
    taken: list[signal.Signals] = []

    def first() -> None:
        stop.set()
        for kind in taken:
            loop.remove_signal_handler(kind)

    for kind in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError, RuntimeError):  # Windows' loop, or not the main thread
            loop.add_signal_handler(kind, first)
            taken.append(kind)
    try:
        yield
    finally:
        for kind in taken:
            loop.remove_signal_handler(kind)
