from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

import grpc
import pytest
import pytest_asyncio
from google.rpc import code_pb2
from hypothesis import given
from hypothesis import settings as bounds
from hypothesis import strategies as st

from npc_server.errors import BadInput, NpcServerError, SaveExists
from npc_server.records import Action, Clock, Document, PathQuery, Settled, Source, Whereabouts
from npc_server.sandbox.client import PlayClient, Reconnected
from npc_server.sandbox.connection import Connection
from npc_server.v1 import npc_pb2 as pb
from tests.sandbox.fake_server import FakeServer, serve
from tests.waiting import LIMIT_S, until


@dataclass
class Rig:
    fake: FakeServer
    connection: Connection

    async def play(self, give_up_s: float = LIMIT_S) -> PlayClient:
        client = PlayClient(self.connection, await self.connection.open_save("fake"), give_up_s)
        client.start()
        return client


@pytest_asyncio.fixture
async def rig() -> AsyncIterator[Rig]:
    fake = FakeServer()
    server, address = await serve(fake)
    connection = Connection(address, "secret")
    yield Rig(fake, connection)
    await connection.close()
    await server.stop(None)


def here(count: int) -> list[Whereabouts]:
    return [Whereabouts("ann", f"t:room{i}") for i in range(count)]


async def test_events_are_numbered_from_one_without_gaps_and_forgotten_when_acknowledged(rig: Rig) -> None:
    client = await rig.play()
    assert client.send(here(3)) == 3
    assert client.send(here(2)) == 5
    assert await client.stored(LIMIT_S)
    assert rig.fake.numbers() == [1, 2, 3, 4, 5]
    assert client.unacked == 0
    await client.close()


async def test_token_goes_with_the_stream(rig: Rig) -> None:
    client = await rig.play()
    client.send(here(1))
    assert await client.stored(LIMIT_S)
    assert rig.fake.tokens == ["Bearer secret"]
    await client.close()


async def test_events_stay_until_acknowledged(rig: Rig) -> None:
    rig.fake.ack = False
    client = await rig.play()
    client.send(here(3))
    assert not await client.stored(0.2)
    assert client.unacked == 3
    await client.close()


@pytest.mark.parametrize("code", [grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.INTERNAL])
async def test_after_a_break_only_what_was_not_stored_is_sent_again(rig: Rig, code: grpc.StatusCode) -> None:
    rig.fake.break_after, rig.fake.breaks_with = [4], code
    client = await rig.play()
    client.send(here(10))
    assert isinstance(await asyncio.wait_for(client.receive(), LIMIT_S), Reconnected)
    assert await client.stored(LIMIT_S)
    assert rig.fake.resent == [[1, 2, 3, 4], [5, 6, 7, 8, 9, 10]]
    assert rig.fake.numbers() == list(range(1, 11))
    assert [event.whereabouts.address for event in rig.fake.stored] == [f"t:room{i}" for i in range(10)]
    await client.close()


async def test_events_sent_while_the_stream_is_down_are_not_lost(rig: Rig) -> None:
    rig.fake.break_after = [1, 1, 1]
    client = await rig.play()
    for event in here(8):
        client.send([event])
        await asyncio.sleep(0.01)
    assert await client.stored(LIMIT_S)
    assert rig.fake.numbers() == list(range(1, 9))
    await client.close()


@bounds(max_examples=15, deadline=None)
@given(breaks=st.lists(st.integers(1, 6), max_size=5), batches=st.lists(st.integers(1, 5), min_size=1, max_size=6))
def test_however_the_stream_breaks_each_event_is_stored_once_and_in_order(breaks: list[int], batches: list[int]) -> None:
    async def play() -> FakeServer:
        fake = FakeServer()
        fake.break_after = list(breaks)
        server, address = await serve(fake)
        connection = Connection(address, "secret")
        client = PlayClient(connection, await connection.open_save("fake"))
        client.start()
        for size in batches:
            client.send(here(size))
            await asyncio.sleep(0)
        assert await client.stored(LIMIT_S)
        await client.close()
        await connection.close()
        await server.stop(None)
        return fake

    assert asyncio.run(play()).numbers() == list(range(1, sum(batches) + 1))


async def test_new_server_is_asked_for_the_epoch_that_was_played(rig: Rig) -> None:
    rig.fake.break_after = [2]
    client = await rig.play()
    client.send(here(2))
    await until(lambda: rig.fake.numbers() == [1, 2])
    rig.fake.session_id = "s2"
    client.send(here(2))
    assert await client.stored(LIMIT_S)
    assert client.session_id == "s2"
    assert rig.fake.opened == 2
    assert rig.fake.numbers() == [1, 2, 3, 4]
    await client.close()


async def test_lost_epoch_ends_the_stream_with_an_error(rig: Rig) -> None:
    rig.fake.break_after = [2]
    client = await rig.play()
    rig.fake.session_id, rig.fake.epoch = "s2", 2
    client.send(here(2))
    with pytest.raises(NpcServerError, match="lost epoch 1"):
        await asyncio.wait_for(client.receive(), LIMIT_S)
    await client.close()


async def test_refusal_is_raised_with_its_reason_and_words(rig: Rig) -> None:
    rig.fake.refusal = (code_pb2.INVALID_ARGUMENT, "BAD_INPUT", "Field epoch is 9.")
    client = await rig.play()
    with pytest.raises(BadInput, match="Field epoch is 9"):
        await asyncio.wait_for(client.receive(), LIMIT_S)
    await client.close()


async def test_mistake_of_the_server_is_raised_and_not_taken_for_a_break(rig: Rig) -> None:
    rig.fake.refusal = (code_pb2.INTERNAL, "INTERNAL", "See the log.")
    client = await rig.play()
    with pytest.raises(NpcServerError, match="See the log"):
        await asyncio.wait_for(client.receive(), LIMIT_S)
    await client.close()


async def test_call_that_is_refused_raises_the_servers_own_error(rig: Rig) -> None:
    with pytest.raises(SaveExists, match="There is a save 'fake' already") as caught:
        await rig.connection.create_save("fake", Document("t", ""), [], 0, 0)
    assert caught.value.values == {"slot": "fake"}


async def test_server_that_stays_away_ends_the_stream_with_what_to_do() -> None:
    fake = FakeServer()
    server, address = await serve(fake)
    connection = Connection(address, "secret")
    client = PlayClient(connection, await connection.open_save("fake"), give_up_s=0.5)
    await server.stop(None)
    client.start()
    with pytest.raises(NpcServerError, match="Check that it runs"):
        await asyncio.wait_for(client.receive(), LIMIT_S)
    await client.close()
    await connection.close()


async def test_what_minds_send_comes_as_records(rig: Rig) -> None:
    action = pb.Action(
        action_id="ann/1/0",
        npc_id="ann",
        sentence="Ann eats",
        address="t:room",
        emoji="🍞",
        start_s=1,
        end_s=2,
        source=pb.DECISION_SOURCE_MODEL,
    )
    query = pb.PathQuery(query_id="q", npc_id="ann", addresses=["t:room"])
    rig.fake.before_settled = [pb.MindEvent(action=action), pb.MindEvent(path_query=query), pb.MindEvent()]
    client = await rig.play()
    seq = client.send([Clock(100, lockstep=True)])
    got = [await asyncio.wait_for(client.receive(), LIMIT_S) for _ in range(3)]
    assert got[0] == Action("ann/1/0", "ann", "Ann eats", "t:room", "🍞", 1, 2, source=Source.MODEL)
    assert got[1] == PathQuery("ann", "q", ("t:room",))
    assert got[2] == Settled(seq, 700)
    await client.close()


async def test_events_of_another_epoch_are_ignored(rig: Rig) -> None:
    client = await rig.play()
    client.send(here(1))
    assert await client.stored(LIMIT_S)
    rig.fake.epoch = 2
    client.send([Clock(100, lockstep=True)])
    with pytest.raises(asyncio.TimeoutError):
        await asyncio.wait_for(client.receive(), 0.2)
    await client.close()
