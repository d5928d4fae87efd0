"""`npc-server demo`: the town, alive: in Godot where there is one, else in the terminal."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import rich.console
import typer
from rich.live import Live as Screen

from npc_server import clock
from npc_server.cli import demo_godot, demo_view
from npc_server.cli.local import SUFFIX, Local, apart, local_server, log_to, slot_of, tell_of_model
from npc_server.cli.output import Console, say
from npc_server.cli.policy import chosen_policies
from npc_server.config import Settings, load_settings
from npc_server.errors import NpcServerError, SaveNotFound
from npc_server.records import Document, GameTime, MindEvent, Outcome
from npc_server.sandbox.client import PlayClient, playing
from npc_server.sandbox.live import Live, states
from npc_server.sandbox.lockstep import Lockstep
from npc_server.sandbox.run import reopened
from npc_server.sandbox.scene import Scene, line_text
from npc_server.sandbox.town_world import TownWorld
from npc_server.sandbox.towns import Cast, find_cast

FIGURES_S = 1.0
"""Wall seconds between two looks at how often the model answered."""
DRAW_S = 0.1
GAME = "npc-server demo"
"""Whose saves the demo's are: a game that shares the folder of saves does not open them."""


@dataclass(frozen=True)
class Options:
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
    reason = "" if terminal or fast else demo_godot.why_not(os.environ, town=town)
    if not (terminal or fast or reason):
        demo_godot.open_town(os.environ, model, arguments=(f"--town={town}",))
        return
    if reason:
        say(f"The town runs in the terminal: {reason}.", err=True)
    cast = find_cast(town, [name.strip() for name in people.split(",") if name.strip()])
    settings = load_settings(config, **({"engine": {"model": model}} if model is not None else {}))
    folder, slot = slot_of(save) if save is not None else (settings.save.folder, f"demo {cast.town.id}".replace("_", "-"))
    files = chosen_policies(cast, policies, no_policies)
    options = Options(cast, slot, folder, seed, days, speed, fast, fresh, settings.engine.model_name, files)
    asyncio.run(_demo(apart(settings, folder), options))


async def _demo(settings: Settings, options: Options) -> None:
    options.folder.mkdir(parents=True, exist_ok=True)
    log_path = options.folder / f"{options.slot}.log"
    stop = asyncio.Event()
    with log_path.open("a", encoding="utf-8") as log, interrupts(stop):
        log_to(log)
        say("Starting the server...", err=True)
        async with local_server(settings) as local:
            tell_of_model(settings.engine, local.engine())
            scene = await _play(local, options, stop)
    path = options.folder / f"{options.slot}{SUFFIX}"
    say(f"\n{scene.world.town.name}, {clock.date(scene.world.now)}, {clock.hhmm(scene.world.now)}. The save is {path}")
    say(f"Go on from there:      npc-server demo --terminal --save '{path}'")
    somebody = next(iter(scene.world.bodies), "NAME")
    say(f"What they remember:    npc-server mind '{path}' {somebody}")


async def _play(local: Local, options: Options, stop: asyncio.Event) -> Scene:
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


async def _show(client: PlayClient, world: TownWorld, scene: Scene, options: Options, end: GameTime, stop: asyncio.Event) -> None:
    def heard(event: MindEvent) -> None:
        scene.heard(event)

    def happened(outcome: Outcome, at: GameTime) -> None:
        scene.happened(outcome)

    with view(scene) as draw:

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
def view(scene: Scene, console: rich.console.Console | None = None) -> Iterator[Callable[[], None]]:
    """The live view on a terminal, plain lines elsewhere; gives a function to call when something may have changed."""
    console = console or Console()
    if not console.is_terminal:
        yield _Lines(scene, console)
        return
    with Screen(console=console, screen=True, auto_refresh=False) as screen:
        last = 0.0

        def draw() -> None:
            nonlocal last
            now = console.get_time()
            if now - last >= DRAW_S:
                last = now
                screen.update(demo_view.render(scene, console.width, console.height), refresh=True)

        yield draw


class _Lines:
    """Prints each line of the scene once."""

    def __init__(self, scene: Scene, console: rich.console.Console) -> None:
        self._scene = scene
        self._console = console
        self._told = 0
        self._day = ""

    def __call__(self) -> None:
        fresh = min(self._scene.told - self._told, len(self._scene.lines))
        for at, _, text in list(self._scene.lines)[len(self._scene.lines) - fresh :]:
            if self._day != clock.date(at):
                self._day = clock.date(at)
                self._console.print(self._day, markup=False, highlight=False)
            self._console.print(line_text(at, text), markup=False, highlight=False, soft_wrap=True)
        self._told = self._scene.told


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
