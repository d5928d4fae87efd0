"""Lets a player talk with one person of a town. Game time passes only with a line, or while the player waits."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from npc_server.records import (
    Action,
    Approach,
    GameAction,
    GameActionResult,
    GameTime,
    MindEvent,
    NpcId,
    Perception,
    PerceptionKind,
    PlayerPresence,
)
from npc_server.sandbox.client import PlayClient, playing
from npc_server.sandbox.connection import Connection
from npc_server.sandbox.lockstep import Lockstep
from npc_server.sandbox.populate import open_or_create, town_of_save
from npc_server.sandbox.town_world import TownWorld
from npc_server.sandbox.towns import Cast
from npc_server.v1 import npc_pb2 as pb

LINE_S = 10
"""Game seconds that a line takes."""
NEAR_M = 2.0
"""Metres between the player and the person."""


@dataclass
class _Heard:
    """What the minds have sent."""

    calls: list[GameAction] = field(default_factory=list)
    approaches: list[Approach] = field(default_factory=list)
    doing: dict[NpcId, str] = field(default_factory=dict)

    def on_event(self, event: MindEvent) -> None:
        if isinstance(event, GameAction):
            self.calls.append(event)
        elif isinstance(event, Approach):
            self.approaches.append(event)
        elif isinstance(event, Action):
            self.doing[event.npc] = event.sentence


@asynccontextmanager
async def talking(connection: Connection, cast: Cast, npc: NpcId, player: str, at: GameTime, seed: int) -> AsyncIterator[PlayerTalk]:
    """A player's talk in a new save `talk`, a second after the game time `at`. Raises NpcServerError."""
    save = await open_or_create(connection, cast, "talk", seed, at)
    async with playing(connection, save) as client:
        talk = PlayerTalk(connection, client, await town_of_save(connection, save, cast, save.now), npc, player)
        await talk.pass_time(1)
        yield talk


class PlayerTalk:
    """The talk of a player. Each method raises NpcServerError if the server refuses the request."""

    def __init__(self, connection: Connection, client: PlayClient, world: TownWorld, npc: NpcId, player: str) -> None:
        """`npc` is whom the player talks to, `player` the player's name."""
        self.world = world
        self.player = player
        self._connection, self._client, self._npc = connection, client, npc
        self._heard = _Heard()
        self._lockstep = Lockstep(client, world, self._heard.on_event)

    @property
    def doing(self) -> str:
        """What the person does, as a sentence. Empty if it is not known yet."""
        return self._heard.doing.get(self._npc, "")

    async def pass_time(self, seconds: int) -> None:
        """Lets game seconds pass for the whole town."""
        end = self.world.now + seconds
        while self.world.now < end:
            await self._lockstep.turn(end)
        await self._lockstep.finish()

    async def wait(self, seconds: int) -> None:
        """Stands near the person while game seconds pass, or until the person comes up to the player."""
        self._notice(PerceptionKind.PERSON, "is here")
        end = self.world.now + seconds
        while self.world.now < end and not any(map(self._is_for_player, self._heard.approaches)):
            await self._lockstep.turn(end)
        await self._lockstep.finish()

    async def do(self, deed: str) -> None:
        """Does something that the person sees, such as "takes the bread from the counter". Then the game time of a line passes."""
        self._notice(PerceptionKind.EVENT, deed)
        await self.pass_time(LINE_S)

    def _notice(self, kind: PerceptionKind, text: str) -> None:
        room, now = self.world.bodies[self._npc].room, self.world.now
        seen = Perception(self._npc, kind, self.player, text, room, NEAR_M, now, player=PlayerPresence.FREE)
        self._client.send([seen])

    async def say(self, line: str) -> AsyncIterator[pb.SayResponse]:
        """Yields the answer, piece by piece. Then the game time of a line passes."""
        async for piece in self._connection.say(self._client.session_id, self._npc, self.player, line):
            yield piece
        await self.pass_time(LINE_S)

    async def think(self, text: str) -> None:
        """Speaks as the person's inner voice."""
        await self._connection.whisper(self._client.session_id, self._npc, text)

    async def undo(self) -> int:
        """Takes back the player's last line and its answer. Returns how many memories are deleted."""
        return await self._connection.undo(self._client.session_id, self._npc, self.player)

    def take_calls(self) -> list[GameAction]:
        """Returns the game actions that people chose since the last call, and reports each as done."""
        calls, self._heard.calls = self._heard.calls, []
        self._client.send(GameActionResult(call.npc, call.call_id, True) for call in calls)
        return calls

    def take_approaches(self) -> list[Approach]:
        """Returns how the person came up to the player since the last call."""
        found, self._heard.approaches = self._heard.approaches, []
        return [approach for approach in found if self._is_for_player(approach)]

    def _is_for_player(self, approach: Approach) -> bool:
        return (approach.npc, approach.player) == (self._npc, self.player)
