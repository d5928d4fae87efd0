"""Plays a town for `npc-server demo`, by the wall clock or as fast as the minds decide."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

from npc_server.background import in_background
from npc_server.clock import DAY
from npc_server.errors import NpcServerError, SaveNotFound
from npc_server.records import Document, GameTime
from npc_server.sandbox.client import PlayClient, playing
from npc_server.sandbox.connection import Connection
from npc_server.sandbox.live import Live, states
from npc_server.sandbox.lockstep import Lockstep
from npc_server.sandbox.populate import open_or_create, town_of_save
from npc_server.sandbox.scene import Scene
from npc_server.sandbox.towns import Cast

COUNTS_S = 1.0
"""Wall seconds between two updates of the counts of answers."""
GAME = "npc-server demo"
"""The game that the demo's saves belong to. A real game that uses the same folder does not open them."""

Show = Callable[[Scene], AbstractContextManager[Callable[[], None]]]
"""Opens a view of a scene. It yields a function to call whenever the scene may have changed."""


@dataclass(frozen=True)
class DemoOptions:
    """What to play, for `days` game days. `speed` is game seconds per wall second; `fast` ignores it and plays in lockstep."""

    cast: Cast
    slot: str
    seed: int
    days: float
    speed: float
    fast: bool
    fresh: bool
    """Whether to delete the save and begin a new one."""
    model: str
    """Name of the model to show; empty without one."""
    policies: tuple[Document, ...] = ()
    """Policy files that a new save begins with."""


async def play_demo(connection: Connection, options: DemoOptions, show: Show, stop: asyncio.Event) -> Scene:
    """Opens the save, plays it until the end or `stop`, saves and closes it. Returns the last scene."""
    if options.fresh:
        with contextlib.suppress(SaveNotFound):
            await connection.delete_save(options.slot)
    save = await open_or_create(connection, options.cast, options.slot, options.seed, policies=options.policies, game=GAME)
    async with playing(connection, save) as client:
        world = await town_of_save(connection, save, options.cast, options.cast.town.start)
        end = world.now + round(options.days * DAY)
        client.send(states(world))
        scene = Scene(world, model=options.model)
        async with in_background(_count_answers(connection, client, scene)):
            with show(scene) as draw:
                if options.fast:
                    await _play_fast(client, scene, draw, end, stop)
                else:
                    await _play_live(client, scene, draw, options.speed, end, stop)
        await connection.save_game(client.session_id)
        return scene


async def _play_fast(client: PlayClient, scene: Scene, draw: Callable[[], None], end: GameTime, stop: asyncio.Event) -> None:
    world, loop = scene.world, asyncio.get_running_loop()
    lockstep = Lockstep(client, world, scene.on_event, on_outcome=scene.on_outcome)
    while world.now < end and not stop.is_set():
        before, began = world.now, loop.time()
        await lockstep.turn(end)
        scene.speed = (world.now - before) / max(loop.time() - began, 1e-3)
        draw()
    await lockstep.finish()


async def _play_live(client: PlayClient, scene: Scene, draw: Callable[[], None], speed: float, end: GameTime, stop: asyncio.Event) -> None:
    def on_frame(now_speed: float) -> None:
        scene.speed = now_speed
        draw()

    await Live(client, scene.world, speed, scene.on_event, scene.on_outcome, on_frame).run(end, stop)


async def _count_answers(connection: Connection, client: PlayClient, scene: Scene) -> None:
    """Keeps the counts of answers in the scene up to date until it is cancelled."""
    while True:
        with contextlib.suppress(NpcServerError):
            minds = await connection.minds(client.session_id, list(scene.people))
            scene.model_answers = sum(mind.model_answers for mind in minds)
            scene.chosen_answers = sum(mind.chosen_answers for mind in minds)
            scene.policy_answers = sum(mind.policy_answers for mind in minds)
            scene.instinct_answers = sum(mind.instinct_answers for mind in minds)
        await asyncio.sleep(COUNTS_S)
