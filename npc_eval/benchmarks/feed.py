"""The least game that keeps people busy: it tells of sights at a steady rate, answers path queries, and lets everybody arrive at once."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from npc_server.records import (
    Action,
    Clock,
    GameEvent,
    GameTime,
    NpcId,
    Outcome,
    OutcomeStatus,
    PathQuery,
    PathResult,
    Perception,
    PerceptionKind,
    Reach,
)
from npc_server.sandbox.client import PlayClient, playing
from npc_server.sandbox.connection import Connection
from npc_server.sandbox.populate import town_of_save
from npc_server.sandbox.towns import Cast

FRAME_S = 0.1
"""Wall seconds between two messages of the game."""
WALK_S = 5.0
"""Game seconds to each place."""
DOINGS = ("carrying a ladder", "mending a net", "reading a letter", "sweeping the steps", "looking for a key", "painting a door")


@dataclass
class Feed:
    """A game that plays a save by the wall clock."""

    client: PlayClient
    people: Sequence[NpcId]
    places: Sequence[str]
    now: GameTime
    events_per_s: float
    speed: float
    """Game seconds in a wall second."""
    chance: random.Random = field(default_factory=lambda: random.Random(1))
    sent: int = 0
    """Sights told so far."""

    def rest(self) -> None:
        """From now on nothing happens, and time stands still. What minds ask is answered."""
        self.events_per_s = self.speed = 0.0

    async def run(self) -> None:
        """Plays until it is cancelled."""
        answering = asyncio.create_task(self._answer())
        loop = asyncio.get_running_loop()
        before, at, owed = loop.time(), float(self.now), 0.0
        try:
            while True:
                await asyncio.sleep(FRAME_S)
                if answering.done():
                    answering.result()
                passed, former = loop.time() - before, self.now
                before += passed
                at, owed = at + passed * self.speed, owed + passed * self.events_per_s
                self.now = int(at)
                sights, owed = [self._sight() for _ in range(int(owed))], owed % 1
                self.sent += len(sights)
                self.client.send([*sights, *([Clock(self.now, speed=self.speed)] if self.now > former else [])])
        finally:
            answering.cancel()
            await asyncio.gather(answering, return_exceptions=True)

    def _sight(self) -> GameEvent:
        """Somebody sees somebody else do something new."""
        who, other = self.chance.sample(self.people, 2)
        text = f"is {self.chance.choice(DOINGS)} for the {self.chance.randint(2, 99)}th time"
        return Perception(who, PerceptionKind.PERSON, other, text, self.chance.choice(self.places), self.chance.uniform(1, 8), self.now)

    async def _answer(self) -> None:
        while True:
            event = await self.client.receive()
            if isinstance(event, PathQuery):
                reaches = tuple(Reach(address, True, WALK_S, True) for address in event.addresses)
                self.client.send([PathResult(event.npc, event.query_id, reaches)])
            elif isinstance(event, Action):
                self.client.send([Outcome(event.npc, event.id, OutcomeStatus.ARRIVED, address=event.address)])


@asynccontextmanager
async def feeding(
    address: str, token: str, cast: Cast, slot: str, events_per_s: float, speed: float, call_s: float = 3600.0
) -> AsyncIterator[Feed]:
    """Makes a new save of the cast, opens it and plays it for a `with` block. In the end the game is saved, with nobody at work."""
    connection = Connection(address, token, call_s)
    try:
        await connection.create_save(slot, cast.town_file, cast.persona_files, 1, cast.town.start)
        save = await connection.open_save(slot)
        async with playing(connection, save) as client:
            world = await town_of_save(connection, save, cast, cast.town.start)
            rooms = sorted({body.room for body in world.bodies.values()})
            feed = Feed(client, save.npc_ids, rooms, cast.town.start, events_per_s, speed)
            playing_on = asyncio.create_task(feed.run())
            try:
                yield feed
            finally:
                playing_on.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await playing_on
            await connection.save_game(client.session_id)
    finally:
        await connection.close()
