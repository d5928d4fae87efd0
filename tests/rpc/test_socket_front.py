"""The socket for games without gRPC: who may come in, what a frame may be, and that it is the same server behind it.

All of it holds for each way in.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import grpc
import pytest
import pytest_asyncio

from npc_server.errors import BadInput
from npc_server.records import Notice, NoticeLevel
from npc_server.rpc import socket_front
from npc_server.rpc.server import start_server
from npc_server.rpc.socket_front import LENGTH, MAGIC, SKIPPED_BYTES
from npc_server.v1 import npc_pb2 as pb
from npc_server.wire.call_error import from_status
from npc_server.wire.dictionaries import from_message
from npc_server.wire.variants import encode
from tests.rpc.conftest import Game
from tests.rpc.doors import KINDS, Door
from tests.rpc.fakes import FakeHost, settings
from tests.rpc.frames import SocketGame
from tests.waiting import until


@pytest.fixture(params=KINDS)
def door(request: pytest.FixtureRequest, files: tuple[Path, Path]) -> Door:
    return Door(request.param, *files)


@pytest_asyncio.fixture
async def game(host: FakeHost, door: Door) -> AsyncIterator[Game]:
    server = await start_server(host, door.settings(), port=0)
    trusted = grpc.ssl_channel_credentials(door.cert.read_bytes())
    made = grpc.aio.secure_channel(server.address, trusted) if door.is_encrypted else grpc.aio.insecure_channel(server.address)
    async with made as channel:
        yield Game(host, server, channel)
    await server.stop(0)


@asynccontextmanager
async def connected(game: Game, door: Door) -> AsyncIterator[SocketGame]:
    own = await door.connect(game.server, game.server.token)
    try:
        yield own
    finally:
        await own.close()


async def welcomed(own: SocketGame, last_seq: int = 0) -> int:
    """Opens the fake's Play stream, and returns its id."""
    call = own.command("open", "WorldService/Play", {"session_id": "s1", "epoch": 3})
    event = await own.event()
    assert event["message"]["events"][0]["welcome"]["last_stored_seq"] == last_seq
    return call


def bell(seq: int) -> dict[str, object]:
    seen = {"npc_id": "mara_voss", "kind": "PERCEPTION_KIND_EVENT", "text": f"Bell {seq} rings", "address": "a:b"}
    return {"seq": seq, "perception": seen}


def bells(first: int, last: int) -> dict[str, object]:
    return {"session_id": "s1", "epoch": 3, "events": [bell(seq) for seq in range(first, last + 1)]}


async def test_a_call_gets_the_answer_and_the_error_that_grpc_gets(game: Game, door: Door) -> None:
    over_grpc = from_message(await game.saves.ListSaves(pb.ListSavesRequest(), metadata=game.auth))
    async with connected(game, door) as own:
        own.command("unary", "SaveService/ListSaves", {})
        assert await own.event() == {"id": 1, "event": "response", "message": over_grpc}
        own.command("unary", "WorldService/ListAddresses", {"session_id": "none"})
        refused = await own.event()
        call = game.world.ListAddresses(pb.ListAddressesRequest(session_id="none"), metadata=game.auth)
        told = from_status(await call.code(), await call.details(), await call.trailing_metadata())
        assert refused == {"id": 2, **told.event()}
        assert refused["reason"] == "NO_SESSION"


async def test_what_is_played_is_stored_and_acknowledged_and_the_minds_are_heard(game: Game, door: Door) -> None:
    async with connected(game, door) as own:
        call = await welcomed(own)
        own.more("send", call, bells(1, 3))
        assert (await own.event())["message"]["events"] == [{"ack": {"seq": 3}}]
        game.server.world.tell(Notice(NoticeLevel.WARNING, "MODEL_MISSING", "No model.", 0))
        (event,) = (await own.event())["message"]["events"]
        assert event["notice"]["reason"] == "MODEL_MISSING"
    assert [seq for seq, _ in game.host.session_.stored] == [1, 2, 3]


async def test_an_answer_streams_and_ends(game: Game, door: Door) -> None:
    async with connected(game, door) as own:
        own.command("open", "DialogueService/Say", {"session_id": "s1", "npc_id": "mara_voss", "speaker": "Zoë", "text": "Hello?"})
        pieces = [await own.event()]
        while pieces[-1]["event"] == "message":
            pieces.append(await own.event())
        assert pieces[-1] == {"id": 1, "event": "finished"}
        assert pieces[-2]["message"]["done"]


@pytest.mark.parametrize("first", [MAGIC + b"wrong", MAGIC, MAGIC + b"x" * 500, MAGIC + b"\xff\xfe"])
async def test_a_wrong_token_is_refused_with_the_words_of_grpc(game: Game, door: Door, first: bytes) -> None:
    own = await door.connect(game.server)
    own.frame(first)
    refused = await own.event()
    assert (refused["event"], refused["code"], refused["reason"]) == ("failed", "UNAUTHENTICATED", "BAD_TOKEN")
    assert "ready file" in refused["message"]
    assert await own.ended()
    await own.close()


@pytest.mark.parametrize("first", [b"NPC2token", b"", b"GET / HTTP/1.1\r\n\r\n", MAGIC + b"x" * 2000, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"])
async def test_whoever_does_not_begin_with_a_token_is_told_nothing(game: Game, door: Door, first: bytes) -> None:
    own = await door.connect(game.server)
    own.frame(first)
    assert await own.ended()
    await own.close()


async def test_half_a_hello_is_not_waited_for_for_ever_and_keeps_nobody_out(
    game: Game, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    half = await door.connect(game.server)
    half.line.write(LENGTH.pack(30) + MAGIC)
    await half.line.sent()
    async with connected(game, door) as own:
        own.command("unary", "SaveService/ListSaves", {})
        assert (await own.event())["event"] == "response"
    await half.close()
    monkeypatch.setattr(socket_front, "HELLO_S", 0.0)
    late = await door.connect(game.server)
    late.line.write(LENGTH.pack(30) + MAGIC)
    assert await late.ended()
    await late.close()


async def test_frames_may_come_byte_by_byte_or_many_at_once(game: Game, door: Door) -> None:
    async with connected(game, door) as own:
        call = await welcomed(own)
        data = encode(["send", call, bells(1, 1)])
        for byte in LENGTH.pack(len(data)) + data:
            own.line.write(bytes([byte]))
            await own.line.sent()
            await asyncio.sleep(0)
        assert (await own.event())["message"]["events"] == [{"ack": {"seq": 1}}]
        own.frame(encode(["batch", [["send", call, bells(2, 2)], ["unary", 90, "SaveService/ListSaves", {}]]]))
        assert {(await own.event())["id"] for _ in range(2)} == {call, 90}
    assert [seq for seq, _ in game.host.session_.stored] == [1, 2]


async def test_a_game_that_is_cut_in_the_middle_of_a_frame_loses_only_that_frame(game: Game, door: Door) -> None:
    own = await door.connect(game.server, game.server.token)
    call = await welcomed(own)
    own.more("send", call, bells(1, 2))
    await own.event()
    data = encode(["send", call, bells(3, 4)])
    own.line.write(LENGTH.pack(len(data)) + data[: len(data) // 2])
    await own.close()
    game.host.session_.last_stored_seq = 2
    async with connected(game, door) as again:
        call = await welcomed(again, 2)
        again.more("send", call, bells(3, 4))
        assert (await again.event())["message"]["events"] == [{"ack": {"seq": 4}}]
    assert [seq for seq, _ in game.host.session_.stored] == [1, 2, 3, 4]


async def test_a_length_that_cannot_be_one_ends_the_connection_and_takes_no_memory(game: Game, door: Door) -> None:
    async with connected(game, door) as own:
        own.line.write(LENGTH.pack(SKIPPED_BYTES + 1))
        refused = await own.event()
        assert (refused["event"], refused["reason"]) == ("failed", "BRIDGE_BYTES")
        assert await own.ended()


async def test_a_message_that_is_too_long_ends_its_call_and_no_other(host: FakeHost, door: Door) -> None:
    server = await start_server(host, door.settings(max_message_bytes=65536), port=0)
    own = await door.connect(server, server.token)
    call = await welcomed(own)
    own.more("send", call, {"session_id": "x" * 300_000})
    refused = await own.event()
    assert (refused["id"], refused["code"], refused["reason"]) == (call, "RESOURCE_EXHAUSTED", "MESSAGE_TOO_LONG")
    own.command("unary", "SaveService/ListSaves", {})
    assert (await own.event())["event"] == "response"
    await own.close()
    await server.stop(0)


@pytest.mark.parametrize("frame", [b"", b"\x1c", encode(5), encode([]), encode(["nothing", 1]), encode(["unary", 1]), b"\xff" * 40])
async def test_a_frame_that_is_no_command_is_refused_and_the_connection_stays(game: Game, door: Door, frame: bytes) -> None:
    async with connected(game, door) as own:
        own.frame(frame)
        assert (await own.event())["event"] == "failed"
        own.command("unary", "SaveService/ListSaves", {})
        assert (await own.event())["event"] == "response"


async def test_calls_without_end_are_refused_when_too_many_are_open(game: Game, door: Door) -> None:
    async with connected(game, door) as own:
        for _ in range(257):
            own.command("open", "WorldService/Play")
        refused = await own.event()
        assert (refused["code"], refused["reason"]) == ("RESOURCE_EXHAUSTED", "OVERLOADED")


async def test_a_game_that_does_not_read_slows_its_own_stream_and_nobody_elses(
    game: Game, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("npc_server.wire.calls.WAITING_LIMIT", 1 << 16)
    slow = await door.connect(game.server, game.server.token, limit=1 << 10)
    await welcomed(slow)
    outbox: Any = game.host.session_.outbox
    thought = Notice(NoticeLevel.INFO, "LONG", "x" * 900, 0)
    for _ in range(400):
        outbox.queue.put_nowait((3, [thought] * 64))
    for _ in range(200):
        await asyncio.sleep(0.001)
    assert outbox.fetched < 200, "what the minds do piles up in the server"
    async with connected(game, door) as own:
        own.command("unary", "SaveService/ListSaves", {})
        assert (await own.event())["event"] == "response"
    got = 0
    while got < 400 * 64:
        got += len((await slow.event())["message"]["events"])
    await slow.close()


async def test_a_game_that_is_gone_leaves_no_call_behind(game: Game, door: Door) -> None:
    own = await door.connect(game.server, game.server.token)
    await welcomed(own)
    own.line.abort()
    await until(lambda: not game.server._front._games)
    assert not game.server.world._streams
    await own.close()


async def test_a_server_that_stops_tells_its_games_and_frees_the_port(host: FakeHost, door: Door) -> None:
    server = await start_server(host, door.settings(), port=0)
    own = await door.connect(server, server.token)
    await welcomed(own)
    stopping = asyncio.ensure_future(server.stop(1))
    event = await own.event()
    assert (event["event"], event["code"], event["reason"]) == ("failed", "UNAVAILABLE", "SERVER_STOPPING")
    assert await own.ended()
    await stopping
    with pytest.raises((ConnectionError, aiohttp.ClientConnectorError)):
        await door.connect(server)
    await own.close()


async def test_the_socket_is_on_the_port_after_the_servers_or_near_it_and_on_loopback_alone() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    first = await start_server(FakeHost(), settings(port=port))
    assert first.socket.startswith("127.0.0.1:")
    taken = int(first.socket.rpartition(":")[2])
    with pytest.raises(BadInput, match=f"Cannot listen on 127.0.0.1:{taken}"):
        await start_server(FakeHost(), settings(socket_port=taken), port=0)
    await first.stop(0)
    others = await start_server(FakeHost(), settings(host="0.0.0.0", insecure_network=True, token="t" * 16), port=0)
    assert others.socket == "", "what is said on it is not encrypted"
    await others.stop(0)
