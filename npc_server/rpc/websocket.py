"""WebSocket for games that run in a browser: the same frames, in binary messages of any length.

A connection that begins with `GET ` is one of a browser, and any other is one of a game: `GET ` would be the length of a first frame
that is too long. So both come through one port.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Coroutine
from typing import Any

from aiohttp import WSMsgType, web

from npc_server.rpc import byte_stream
from npc_server.rpc.byte_stream import ByteStream, tell_cut_off
from npc_server.wire.calls import POLL_S, WAITING_LIMIT

FIRST = b"GET "
"""How a browser begins."""
FIRST_S = 5.0
"""Wall seconds for the first bytes and the handshake."""
PIECE = 1 << 16
"""The most bytes in a message of the server."""
LONGEST = 1 << 20
"""The longest message of a game. It sends a quarter of that at once."""
PING_S = 30.0
"""Seconds between two questions whether the game is still there. They also keep proxies from ending a connection."""
CLOSE_S = 2.0
Meet = Callable[[ByteStream], Coroutine[Any, Any, None]]


class WebSocketStream:
    """The bytes of one WebSocket."""

    def __init__(self, socket: web.WebSocketResponse, transport: asyncio.Transport) -> None:
        self._socket = socket
        self._transport = transport
        self._in = bytearray()
        self._out = bytearray()
        self._sending: asyncio.Task[None] | None = None

    async def read_exactly(self, size: int) -> bytes:
        while len(self._in) < size:
            if not await self._receive():
                raise asyncio.IncompleteReadError(bytes(self._in), size)
        return self._take(size)

    async def read_some(self, most: int) -> bytes:
        if not self._in:
            await self._receive()
        return self._take(most)

    def write(self, data: bytes) -> None:
        self._out += data
        if self._sending is None or self._sending.done():
            self._sending = asyncio.get_running_loop().create_task(self._send())

    def waiting(self) -> int:
        if self._socket.closed or self._transport.is_closing():
            return -1
        return len(self._out) + self._transport.get_write_buffer_size()

    async def until_room(self) -> None:
        while self.waiting() > WAITING_LIMIT:  # noqa: ASYNC110  aiohttp tells nobody that there is room
            await asyncio.sleep(POLL_S)

    async def close(self) -> None:
        if self._sending is not None:
            await asyncio.wait({self._sending}, timeout=CLOSE_S)
            self._sending.cancel()
        # Godot forgets what it has not read when it hears that the socket closes. So the game closes first, if it does.
        with contextlib.suppress(ConnectionError, asyncio.TimeoutError):
            while not self._socket.closed:
                await asyncio.wait_for(self._receive(), CLOSE_S)
        with contextlib.suppress(ConnectionError):
            await self._socket.close()

    def _take(self, size: int) -> bytes:
        taken = bytes(self._in[:size])
        del self._in[:size]
        return taken

    async def _receive(self) -> bool:
        """Return whether more bytes have come. Text is no frame, and ends the connection."""
        message = await self._socket.receive()
        if message.type is not WSMsgType.BINARY:
            return False
        self._in += message.data
        return True

    async def _send(self) -> None:
        while self._out:
            piece = bytes(self._out[:PIECE])
            del self._out[:PIECE]
            try:
                await asyncio.wait_for(self._socket.send_bytes(piece), byte_stream.STALLED_S)
            except asyncio.TimeoutError:
                tell_cut_off()
                self._transport.abort()
                return
            except (ConnectionError, RuntimeError):  # the game has gone, or closes
                return


class WebSockets:
    """Speaks HTTP with browsers until they have a WebSocket, which it gives to `meet`."""

    def __init__(self, meet: Meet) -> None:
        quiet = logging.getLogger("npc_server.websocket")
        quiet.setLevel(logging.CRITICAL)  # what strangers send is no news
        self._meet = meet
        self._server = web.Server(self._answer, access_log=None, logger=quiet, keepalive_timeout=FIRST_S, lingering_time=0)

    def protocol(self) -> asyncio.Protocol:
        """Return a protocol for a connection that begins with `FIRST`."""
        return self._server()

    async def stop(self) -> None:
        await self._server.shutdown(CLOSE_S)

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        socket = web.WebSocketResponse(timeout=CLOSE_S, heartbeat=PING_S, compress=False, max_msg_size=LONGEST)
        if not socket.can_prepare(request).ok or request.transport is None:
            # Said in full, because who sees it is a developer with a browser.
            return web.Response(status=426, text="This is the socket of an npc-server. A game opens it as a WebSocket.\n")
        await socket.prepare(request)
        await self._meet(WebSocketStream(socket, request.transport))
        return socket


class FirstBytes(asyncio.Protocol):
    """Waits for the first bytes of a connection, and gives it to whom they concern."""

    def __init__(self, game: Callable[[], asyncio.Protocol], browser: Callable[[], asyncio.Protocol]) -> None:
        self._game = game
        self._browser = browser
        self._got = b""
        self._cut: asyncio.TimerHandle | None = None
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._cut = asyncio.get_running_loop().call_later(FIRST_S, transport.abort)

    def data_received(self, data: bytes) -> None:
        self._got += data
        if len(self._got) < len(FIRST) or self._transport is None:
            return
        self._forget()
        following = self._browser() if self._got.startswith(FIRST) else self._game()
        self._transport.set_protocol(following)
        following.connection_made(self._transport)
        following.data_received(self._got)

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget()

    def _forget(self) -> None:
        if self._cut is not None:
            self._cut.cancel()
        self._cut = None
