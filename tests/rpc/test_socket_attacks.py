"""The socket against those who mean it ill, or speak another language: each is told or cut off, and its connection is freed."""

from __future__ import annotations

import asyncio
import ssl
import subprocess
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from npc_server.records import Notice, NoticeLevel
from npc_server.rpc import byte_stream, socket_front, websocket
from npc_server.rpc.server import RunningServer, start_server
from npc_server.rpc.socket_front import LENGTH, MAGIC
from tests.rpc.certificates import certificate
from tests.rpc.doors import KINDS, Door
from tests.rpc.fakes import FakeHost, settings
from tests.rpc.frames import SocketGame, WebSocketLine
from tests.waiting import LIMIT_S, until

Start = Callable[[str], Any]


@pytest_asyncio.fixture
async def start(files: tuple[Path, Path], host: FakeHost) -> AsyncIterator[Start]:
    """Starts a server with one way in. Returns the way and the server."""
    running: list[RunningServer] = []

    async def one(kind: str) -> tuple[Door, RunningServer]:
        door = Door(kind, *files)
        running.append(await start_server(host, door.settings(), port=0))
        return door, running[-1]

    yield one
    for server in running:
        await freed(server)
        await server.stop(0)


async def to_the_end(game: SocketGame) -> None:
    while True:
        await game.line.read(1 << 16)


async def freed(server: RunningServer) -> None:
    """Waits until no connection of the socket is left."""
    await until(lambda: not server._front._connections and not server._front._games)


async def plays(door: Door, server: RunningServer) -> None:
    """Checks that the socket still serves a game."""
    game = await door.connect(server, server.token)
    game.command("unary", "SaveService/ListSaves", {})
    assert (await game.event())["event"] == "response"
    await game.close()


async def raw(server: RunningServer, data: bytes, *, ends: bool = False) -> bytes:
    """Sends bytes over TCP alone, and with `ends` says that there are no more. Returns all that comes until the server closes."""
    host, _, port = server.socket.rpartition("://")[2].rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(data)
    if ends:
        writer.write_eof()
    try:
        return await asyncio.wait_for(reader.read(), LIMIT_S)
    except ConnectionError:
        return b""
    finally:
        writer.close()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "first", [LENGTH.pack(9) + MAGIC + b"wrong", b"GET / HTTP/1.1\r\nHost: a\r\n\r\n", b"\x16\x03\x01\x02\x00", b"\0" * 4000]
)
async def test_plain_bytes_get_at_most_a_refusal_and_no_connection_stays(start: Start, kind: str, first: bytes) -> None:
    door, server = await start(kind)
    answer = await raw(server, first, ends=True)
    assert b"connected" not in answer
    await freed(server)
    await plays(door, server)


async def test_a_browser_that_opens_no_websocket_is_told_what_this_is(start: Start) -> None:
    _, server = await start("ws")
    answer = await raw(server, b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 426")
    assert b"npc-server" in answer


async def test_a_browser_finds_nobody_where_websocket_is_off(start: Start) -> None:
    _, server = await start("tcp")
    assert await raw(server, b"GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n") == b""


@pytest.mark.parametrize("kind", ["ws", "wss", "tls"])
@pytest.mark.parametrize("first", [b"", b"GE", b"GET / HTTP/1.1\r\nHost: a\r\n"])
async def test_whoever_begins_and_says_no_more_is_cut_off(start: Start, kind: str, first: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(websocket, "FIRST_S", 0.05)
    monkeypatch.setattr(socket_front, "HELLO_S", 0.05)
    _, server = await start(kind)
    assert b"connected" not in await raw(server, first)


@pytest.mark.parametrize("kind", ["tls", "wss"])
@pytest.mark.parametrize("fault", ["expired", "of another authority", "of another name"])
async def test_a_game_does_not_speak_to_a_server_whose_certificate_is_wrong(
    host: FakeHost, tmp_path: Path, files: tuple[Path, Path], kind: str, fault: str
) -> None:
    cert, key = certificate(tmp_path, expired=True) if fault == "expired" else files
    door = Door(kind, cert, key)
    server = await start_server(host, door.settings(host="127.0.0.2" if fault == "of another name" else "127.0.0.1"), port=0)
    trusts = certificate(tmp_path / "other")[0] if fault == "of another authority" else cert
    with pytest.raises((ssl.SSLCertVerificationError, aiohttp.ClientConnectorCertificateError)):
        await SocketGame.connect(door.address(server), server.token, trusts=trusts)
    await freed(server)
    await server.stop(0)


@pytest.mark.parametrize("kind", KINDS)
async def test_a_game_that_never_reads_is_cut_off_and_may_come_again(
    start: Start, host: FakeHost, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(byte_stream, "STALLED_S", 0.2)
    monkeypatch.setattr(byte_stream, "WAITING_LIMIT", 1 << 16)
    # More than the 64 KiB that a transport takes at once, as in a real server. Else a WebSocket has nothing left to send, and only its ping
    # finds out.
    monkeypatch.setattr("npc_server.wire.calls.WAITING_LIMIT", 1 << 20)
    door, server = await start(kind)
    slow = await door.connect(server, server.token, limit=1 << 10)
    slow.command("open", "WorldService/Play", {"session_id": "s1", "epoch": 3})
    await slow.event()
    outbox: Any = host.session_.outbox
    for _ in range(400):
        outbox.queue.put_nowait((3, [Notice(NoticeLevel.INFO, "LONG", "x" * 900, 0)] * 64))
    await freed(server)
    assert not server.world._streams
    with pytest.raises((asyncio.IncompleteReadError, OSError)):
        await to_the_end(slow)
    await slow.close()
    await plays(door, server)


@pytest.mark.parametrize("kind", ["ws", "wss"])
async def test_a_message_of_a_browser_that_is_too_long_ends_its_connection(start: Start, kind: str) -> None:
    door, server = await start(kind)
    game = await door.connect(server, server.token)
    game.line.write(b"\0" * (websocket.LONGEST + 1))
    assert await game.ended()
    await game.close()
    await freed(server)


async def test_text_of_a_browser_is_no_frame(start: Start) -> None:
    door, server = await start("ws")
    game = await door.connect(server, server.token)
    assert isinstance(game.line, WebSocketLine)
    await game.line.socket.send_str("hello")
    assert await game.ended()
    await game.close()


async def test_strangers_leave_room_for_the_game(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket_front, "MOST_STRANGERS", 3)
    door, server = await start("tls")
    strangers = [await door.connect(server) for _ in range(3)]
    await until(lambda: server._front._strangers == 3)
    refused = await door.connect(server)
    assert await refused.ended()
    for stranger in [*strangers, refused]:
        await stranger.close()
    await freed(server)
    await plays(door, server)


def test_a_key_with_a_password_is_refused_and_nobody_is_asked_for_it(files: tuple[Path, Path], tmp_path: Path) -> None:
    locked = tmp_path / "locked.pem"
    words = ["openssl", "pkey", "-in", str(files[1]), "-aes256", "-passout", "pass:secret", "-out", str(locked)]
    subprocess.run(words, check=True, capture_output=True)
    with pytest.raises(Exception, match="without a password"):
        asyncio.run(start_server(FakeHost(), settings(tls_cert=files[0], tls_key=locked), port=0))
