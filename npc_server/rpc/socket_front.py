"""A socket for games without gRPC: the same calls, through the same servicers. It speaks TCP, TLS and, if wanted, WebSocket.

Each side sends frames: a length in four bytes, lowest first, and so many bytes. The first frame of a game is `NPC1` and the token. Then
each frame is a value in Godot's binary serialization (wire/variants.py): a command of the game, or an event for it (wire/calls.py). Godot
writes and reads it in C++, in half the time that JSON takes, and with all 64 bits of a number.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import ssl
import struct
import sys
from collections.abc import Callable, Mapping
from typing import Any

import structlog
from google.rpc import code_pb2

from npc_server.errors import NpcServerError
from npc_server.rpc import status
from npc_server.rpc.byte_stream import ByteStream, GameProtocol
from npc_server.rpc.handlers import Handlers
from npc_server.rpc.interceptors import no_token, wrong_token
from npc_server.wire.call_error import CallError
from npc_server.wire.calls import POLL_S, Calls, commands
from npc_server.wire.variants import call_id, decode, encode

MAGIC = b"NPC1"
"""Begins the first frame. Its last letter is the version of the frames."""
HELLO_BYTES = 1024
HELLO_S = 5.0
"""Wall seconds that a game has to send the first frame."""
MOST_STRANGERS = 64
MOST_GAMES = 64
SKIPPED_BYTES = 64 << 20
"""The longest frame that is skipped when it is too long. A game never sends a longer one, so its length would be no length."""
HEAD_BYTES = 256
"""The beginning of a frame that tells which call it belongs to."""
WIDER = 4
"""How many times a message's bytes its form in a frame may take. Field names make it two or three times as long."""
LENGTH = struct.Struct("<I")

_log = structlog.get_logger("npc_server.rpc")


class SocketFront:
    """Listens for games. Its calls go to `handlers`. With `websocket`, games in browsers may come in, too."""

    def __init__(
        self, handlers: Handlers, token: str, max_message_bytes: int, tls: ssl.SSLContext | None = None, websocket: bool = False
    ) -> None:
        self._handlers = handlers
        self._token = token.encode()
        self._max_bytes = max_message_bytes * WIDER
        self._tls = tls
        self._takes_browsers = websocket
        self._stop_browsers: Callable[[], Any] | None = None
        self._server: asyncio.Server | None = None
        self._strangers = 0
        self._games: set[Calls] = set()
        self._connections: set[asyncio.Task[None]] = set()

    async def listen(self, host: str, port: int) -> int:
        """Begins to accept games. Returns the port, which is a free one for 0. Raises OSError."""
        limits: dict[str, Any] = {}
        if self._tls is not None:
            limits["ssl_handshake_timeout"] = HELLO_S
            if sys.version_info >= (3, 11):
                limits["ssl_shutdown_timeout"] = HELLO_S
        self._server = await asyncio.get_running_loop().create_server(self._protocols(), host, port, ssl=self._tls, **limits)
        found: int = self._server.sockets[0].getsockname()[1]
        return found

    def _protocols(self) -> Callable[[], asyncio.Protocol]:
        """Returns what makes the protocol of a connection."""

        def game() -> asyncio.Protocol:
            return GameProtocol(self._meet)

        if not self._takes_browsers:
            return game
        from npc_server.rpc.websocket import FirstBytes, WebSockets  # few games need it, and it takes a while to import

        browsers = WebSockets(self._meet)
        self._stop_browsers = browsers.stop
        return lambda: FirstBytes(game, browsers.protocol)

    async def stop(self, grace: float) -> None:
        """Frees the port, gives running calls `grace` seconds, and closes all connections."""
        if self._server is not None:
            self._server.close()
        end = asyncio.get_running_loop().time() + grace
        while any(calls.running for calls in self._games) and asyncio.get_running_loop().time() < end:  # noqa: ASYNC110  once in a server's life
            await asyncio.sleep(POLL_S)
        connections = list(self._connections)
        for connection in connections:
            connection.cancel()
        await asyncio.gather(*connections, return_exceptions=True)
        if self._stop_browsers is not None:
            await self._stop_browsers()

    # ---- one connection

    async def _meet(self, stream: ByteStream) -> None:
        game, task = _Game(stream), asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            if await self._is_allowed(game):
                await self._play(game)
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass  # The game has gone, or the server stops.
        finally:
            self._connections.discard(task)
            await stream.close()

    async def _is_allowed(self, game: _Game) -> bool:
        """Reads the first frame. Whoever has no token learns only that."""
        if self._strangers >= MOST_STRANGERS or len(self._games) >= MOST_GAMES:
            return False
        self._strangers += 1
        try:
            sent = await asyncio.wait_for(game.read_hello(), HELLO_S)
        except asyncio.TimeoutError:
            return False
        finally:
            self._strangers -= 1
        if sent is not None and hmac.compare_digest(sent, self._token):
            return True
        if sent is not None:
            game.emit({"id": 0, **_told(wrong_token() if sent else no_token()).event()})
        return False

    async def _play(self, game: _Game) -> None:
        calls = Calls(game.emit, self._handlers)
        self._games.add(calls)
        game.emit({"id": 0, "event": "connected"})
        try:
            while True:
                await game.until_room()
                await calls.until_room()
                await self._obey(calls, await game.read(self._max_bytes), game)
        except CallError as error:
            _log.warning("a game's connection is closed", error=str(error))
            calls.fail(0, error)
        finally:
            await calls.closed()
            self._games.discard(calls)

    async def _obey(self, calls: Calls, frame: bytes | _TooLong, game: _Game) -> None:
        if isinstance(frame, _TooLong):
            calls.cancel(frame.call)
            message = f"A message has {frame.size} bytes, and {self._max_bytes} are allowed. Send less at once."
            calls.fail(frame.call, CallError(message, code="RESOURCE_EXHAUSTED", reason="MESSAGE_TOO_LONG"))
            return
        try:
            for command in commands(decode(frame)):
                calls.command(command)
        except CallError as error:
            calls.fail(call_id(frame), error)


class _TooLong:
    """A frame that was skipped."""

    def __init__(self, call: int, size: int) -> None:
        self.call = call
        self.size = size


class _Game:
    """Reads and writes the frames of one connection."""

    def __init__(self, stream: ByteStream) -> None:
        self._stream = stream
        self.until_room = stream.until_room

    async def read_hello(self) -> bytes | None:
        """Returns the token of the first frame; None if this is no such frame."""
        size = LENGTH.unpack(await self._stream.read_exactly(4))[0]
        if not len(MAGIC) <= size <= HELLO_BYTES:
            return None
        sent = await self._stream.read_exactly(size)
        return sent[len(MAGIC) :] if sent.startswith(MAGIC) else None

    async def read(self, most: int) -> bytes | _TooLong:
        """Returns the next frame. Raises CallError for a length that cannot be one."""
        size = LENGTH.unpack(await self._stream.read_exactly(4))[0]
        if size <= most:
            return await self._stream.read_exactly(size)
        if size > SKIPPED_BYTES:
            raise CallError(f"A frame claims {size} bytes.", reason="BRIDGE_BYTES")
        head = await self._stream.read_exactly(HEAD_BYTES)
        left = size - HEAD_BYTES
        while left > 0:
            piece = await self._stream.read_some(min(left, 1 << 16))
            if not piece:
                raise asyncio.IncompleteReadError(b"", left)
            left -= len(piece)
        return _TooLong(call_id(head), size)

    def emit(self, event: Mapping[str, object]) -> int:
        if event and self._stream.waiting() >= 0:
            data = encode(event)
            self._stream.write(LENGTH.pack(len(data)) + data)
        return self._stream.waiting()


def _told(error: NpcServerError) -> CallError:
    found = status.to_grpc(error)
    return CallError(found.details, code=code_pb2.Code.Name(status.code_of(error)), reason=error.reason)


async def listen_near(front: SocketFront, host: str, port: int) -> int:
    """Listens on the port after `port` or, if that is taken, on any free one. With 0 it is a free one at once."""
    if 0 < port < 65_535:
        with contextlib.suppress(OSError):
            return await front.listen(host, port + 1)
        _log.warning("the port after the server's is taken, so the socket listens on another", port=port + 1)
    return await front.listen(host, 0)
