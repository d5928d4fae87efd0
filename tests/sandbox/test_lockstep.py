from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest_asyncio

from npc_server.clock import HOUR, MINUTE
from npc_server.records import MindEvent
from npc_server.sandbox.client import PlayClient
from npc_server.sandbox.connection import Connection
from npc_server.sandbox.lockstep import Lockstep
from npc_server.sandbox.town_world import TownWorld
from npc_server.v1 import npc_pb2 as pb
from npc_server.world.town import load_town
from tests.sandbox.fake_server import FakeServer, serve
from tests.sandbox.test_town_world import START, TOWN
from tests.waiting import LIMIT_S
from tests.world.towns import document


class Rig:
    def __init__(self, fake: FakeServer, client: PlayClient) -> None:
        self.fake = fake
        self.world = TownWorld(load_town(document(TOWN)), START)
        self.world.put("ann", "Ann", "t:house:room")
        self.heard: list[MindEvent] = []
        self.lockstep = Lockstep(client, self.world, self.heard.append)

    def sent(self, kind: str) -> list[pb.GameEvent]:
        return [event for event in self.fake.stored if event.WhichOneof("event") == kind]


@pytest_asyncio.fixture
async def rig() -> AsyncIterator[Rig]:
    fake = FakeServer()
    server, address = await serve(fake)
    connection = Connection(address, "secret")
    client = PlayClient(connection, await connection.open_save("fake"))
    client.start()
    yield Rig(fake, client)
    await client.close()
    await connection.close()
    await server.stop(None)


def walk(action_id: str, address: str, minutes: int = 30) -> pb.MindEvent:
    end = START + minutes * MINUTE
    return pb.MindEvent(
        action=pb.Action(
            source=pb.DECISION_SOURCE_INSTINCT,
            action_id=action_id,
            npc_id="ann",
            sentence="Ann walks",
            address=address,
            start_s=START,
            end_s=end,
        )
    )


async def turn(rig: Rig, end: int = START + 8 * HOUR) -> None:
    await asyncio.wait_for(rig.lockstep.turn(end), LIMIT_S)


async def test_first_turn_tells_where_everybody_is_before_the_clock(rig: Rig) -> None:
    await turn(rig)
    kinds = [event.WhichOneof("event") for event in rig.fake.stored]
    assert kinds[:2] == ["whereabouts", "perception"]
    assert kinds[-1] == "clock"
    assert rig.fake.stored[-1].clock.now_s == START


async def test_path_query_is_answered_within_the_turn(rig: Rig) -> None:
    query = pb.PathQuery(query_id="q7", npc_id="ann", addresses=["t:house:room:table", "t:inn"])
    rig.fake.before_settled = [pb.MindEvent(path_query=query)]
    await turn(rig)
    await turn(rig)
    (result,) = rig.sent("path_result")
    assert result.path_result.query_id == "q7"
    assert [reach.reachable for reach in result.path_result.reaches] == [True, False]


async def test_clock_leaps_to_the_next_wake_when_nothing_moves(rig: Rig) -> None:
    await turn(rig)
    assert rig.world.now == START + 600


async def test_clock_never_passes_the_end(rig: Rig) -> None:
    await turn(rig, START + 100)
    assert rig.world.now == START + 100


async def test_clock_ticks_by_the_minute_while_somebody_walks(rig: Rig) -> None:
    rig.lockstep = Lockstep(rig.lockstep._client, rig.world, rig.heard.append, tick_s=5)
    rig.fake.before_settled = [walk("a", "t:green:lawn:well")]
    await turn(rig)
    assert rig.world.now == START + 5


async def test_locked_door_is_told_at_once(rig: Rig) -> None:
    rig.fake.before_settled = [walk("a", "t:shop:floor")]
    await turn(rig)
    await turn(rig)
    (outcome,) = rig.sent("outcome")
    assert outcome.outcome.reason == "the shop is closed until 08:00"
    assert rig.fake.stored[outcome.seq].clock.now_s == START + 1


async def test_broken_stream_within_a_turn_settles_on_the_next(rig: Rig) -> None:
    rig.fake.break_after = [5]
    rig.fake.settle = True
    for _ in range(4):
        await turn(rig)
    assert rig.fake.streams == 2
    assert rig.fake.numbers() == list(range(1, len(rig.fake.stored) + 1))
    assert rig.world.now > START


async def test_action_told_again_is_not_begun_again(rig: Rig) -> None:
    rig.fake.before_settled = [walk("a", "t:house:room:table")]
    await turn(rig)
    rig.fake.before_settled = [walk("a", "t:house:room:table")]
    await turn(rig)
    await turn(rig)
    assert len(rig.sent("outcome")) == 1


async def test_who_gets_the_last_free_place_does_not_hang_on_whose_action_came_first(rig: Rig) -> None:
    rig.world.put("ann", "Ann", "t:house:room:bed")
    rig.world.put("bob", "Bob", "t:house:room:bed")
    bed = pb.Action(
        source=pb.DECISION_SOURCE_INSTINCT,
        action_id="b",
        npc_id="bob",
        sentence="Bob sleeps",
        address="t:house:room:bed",
        start_s=START,
        end_s=START + 3600,
    )
    rig.fake.before_settled = [pb.MindEvent(action=bed), walk("a", "t:house:room:bed")]
    for _ in range(3):
        await turn(rig)
    assert [(event.outcome.npc_id, event.outcome.reason) for event in rig.sent("outcome")] == [("ann", ""), ("bob", "the bed is occupied")]
