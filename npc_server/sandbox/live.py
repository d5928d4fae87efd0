"""Plays a town by the wall clock, as a game does. Time never waits for a mind."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

from npc_server.clock import MINUTE
from npc_server.records import Action, Clock, GameTime, MindEvent, ObjectChange, Outcome, PathQuery, Speech
from npc_server.sandbox.client import PlayClient, Reconnected
from npc_server.sandbox.town_world import TownWorld

FRAME_S = 0.05
"""Wall seconds between two updates."""
STROLL = 1 / 16
"""Factor of the speed while somebody walks or decides. At full speed nobody could watch a walk."""
NIGHT = 6.0
"""Factor of the speed while nothing will change for `NIGHT_S`."""
NIGHT_S = 30 * MINUTE
"""Game seconds without any change, after which time runs faster."""


class Live:
    """Moves a town by the wall clock, at `speed` game seconds per wall second.

    With `strolls` walks are slower, so that they can be watched. With `hurries` nights are faster.
    """

    def __init__(
        self,
        client: PlayClient,
        world: TownWorld,
        speed: float,
        on_event: Callable[[MindEvent], None],
        on_outcome: Callable[[Outcome, GameTime], None],
        on_frame: Callable[[float], None],
        *,
        strolls: bool = True,
        hurries: bool = True,
    ) -> None:
        self._strolls = strolls
        self._hurries = hurries
        self._client = client
        self._world = world
        self._speed = speed
        self._on_event = on_event
        self._on_outcome = on_outcome
        self._on_frame = on_frame

    async def run(self, end: GameTime, stop: asyncio.Event) -> None:
        """Plays until `end`, or until `stop` is set. Raises the error that ended the stream."""
        listening = asyncio.get_running_loop().create_task(self._listen())
        moving = asyncio.get_running_loop().create_task(self._move(end, stop))
        try:
            await asyncio.wait({listening, moving}, return_when=asyncio.FIRST_COMPLETED)
            if listening.done():
                listening.result()
            moving.result()
            await self._client.stored()
        finally:
            for task in (listening, moving):
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError, Exception):
                    await task

    def pace(self) -> float:
        """Returns the current game seconds per wall second."""
        bodies = self._world.bodies.values()
        if any(body.route or not body.doing for body in bodies):
            return self._speed * STROLL if self._strolls else self._speed
        change = self._world.next_change()
        is_quiet = change is None or change - self._world.now > NIGHT_S
        return self._speed * NIGHT if self._hurries and is_quiet else self._speed

    async def _listen(self) -> None:
        while True:
            event = await self._client.receive()
            if isinstance(event, Reconnected):
                continue
            if isinstance(event, PathQuery):
                self._client.send([self._world.answer(event)])
            elif isinstance(event, Action):
                self._world.act(event)
            elif isinstance(event, Speech):
                self._world.speak(event)
            self._on_event(event)

    async def _move(self, end: GameTime, stop: asyncio.Event) -> None:
        loop = asyncio.get_running_loop()
        before, owed = loop.time(), 0.0
        self._world.advance(self._world.now)
        while True:
            pace = self.pace()
            self._tell(pace)
            self._on_frame(pace)
            if self._world.now >= end or stop.is_set():
                return
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(stop.wait(), FRAME_S)
            owed += (loop.time() - before) * pace
            before = loop.time()
            owed -= self._walk_on(min(self._world.now + int(owed), end))

    def _walk_on(self, to: GameTime) -> int:
        """Moves the town to `to`, or to the next change that minds should know. Returns the game seconds it took."""
        began = self._world.now
        if not any(body.route for body in self._world.bodies.values()) and (change := self._world.next_change()) is not None:
            to = min(to, max(change, began))
        if to > began:
            self._world.advance(to)
        return self._world.now - began

    def _tell(self, pace: float) -> None:
        events = self._world.take_events()
        for event in events:
            if isinstance(event, Outcome):
                self._on_outcome(event, self._world.now)
        self._client.send([*events, Clock(self._world.now, speed=pace)])


def states(world: TownWorld) -> list[ObjectChange]:
    """Returns the states of all objects, because the session may have older ones."""
    return [ObjectChange(node.address, node.state) for node in world.world if node.state]
