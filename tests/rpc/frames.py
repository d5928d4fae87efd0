"""A game on the socket, in Python: what Godot's half does, and what it never would. It comes by TCP, TLS or WebSocket."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import ssl
from pathlib import Path
from typing import Any, Protocol

import aiohttp

from npc_server.rpc.socket_front import LENGTH, MAGIC
from npc_server.wire.variants import decode, encode
from tests.waiting import LIMIT_S


class Line(Protocol):
    """The bytes to and from the server."""

    def write(self, data: bytes) -> None: ...
    async def sent(self) -> None: ...
    async def read(self, size: int) -> bytes:
        """Raises IncompleteReadError at the end."""
        ...

    def abort(self) -> None: ...
    async def close(self) -> None: ...


class TcpLine:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    def write(self, data: bytes) -> None:
        self._writer.write(data)

    async def sent(self) -> None:
        await self._writer.drain()

    async def read(self, size: int) -> bytes:
        return await self._reader.readexactly(size)

    def abort(self) -> None:
        self._writer.transport.abort()

    async def close(self) -> None:
        self._writer.close()
        await asyncio.gather(self._writer.wait_closed(), return_exceptions=True)


class WebSocketLine:
    def __init__(self, client: aiohttp.ClientSession, socket: aiohttp.ClientWebSocketResponse[bool]) -> None:
        self._client = client
        self.socket = socket
        self._in = b""
        self._out: list[bytes] = []

    def write(self, data: bytes) -> None:
        self._out.append(data)

    async def sent(self) -> None:
        while self._out:
            await self.socket.send_bytes(self._out.pop(0))

    async def read(self, size: int) -> bytes:
        await self.sent()
        while len(self._in) < size:
            message = await self.socket.receive()
            if message.type is not aiohttp.WSMsgType.BINARY:
                raise asyncio.IncompleteReadError(self._in, size)
            self._in += message.data
        taken, self._in = self._in[:size], self._in[size:]
        return taken

    def abort(self) -> None:
        connection: Any = self.socket._response.connection
        connection.transport.abort()

    async def close(self) -> None:
        with contextlib.suppress(ConnectionError):
            await self.sent()
        await self.socket.close()
        await self._client.close()


async def line_to(address: str, trusts: Path | None, limit: int) -> Line:
    """Opens a line to `tcp://`, `tls://`, `ws://` or `wss://` and a place; without a scheme it is TCP."""
    scheme, _, place = address.rpartition("://")
    context = ssl.create_default_context(cafile=trusts) if trusts is not None else None
    if scheme in ("ws", "wss"):
        client = aiohttp.ClientSession(auto_decompress=False, read_bufsize=limit)
        try:
            return WebSocketLine(client, await client.ws_connect(address, ssl=context or True))
        except BaseException:
            await client.close()
            raise
    host, _, port = place.rpartition(":")
    return TcpLine(*await asyncio.open_connection(host.strip("[]"), int(port), limit=limit, ssl=context if scheme == "tls" else None))


class SocketGame:
    """Sends commands, and reads events."""

    def __init__(self, line: Line) -> None:
        self.line = line
        self._ids = itertools.count(1)

    @classmethod
    async def connect(cls, address: str, token: str | None = None, limit: int = 1 << 16, trusts: Path | None = None) -> SocketGame:
        """With a token it says hello, and waits until it is connected."""
        game = cls(await line_to(address, trusts, limit))
        if token is not None:
            game.frame(MAGIC + token.encode())
            event = await game.event()
            assert event == {"id": 0, "event": "connected"}, event
        return game

    def frame(self, data: bytes) -> None:
        self.line.write(LENGTH.pack(len(data)) + data)

    def command(self, name: str, *arguments: object) -> int:
        """Returns the id of the call."""
        call = next(self._ids)
        self.frame(encode([name, call, *arguments]))
        return call

    def more(self, name: str, call: int, *arguments: object) -> None:
        self.frame(encode([name, call, *arguments]))

    async def event(self) -> dict[str, Any]:
        size = LENGTH.unpack(await self._exactly(4))[0]
        found = decode(await self._exactly(size))
        assert isinstance(found, dict)
        return found

    async def _exactly(self, size: int) -> bytes:
        return await asyncio.wait_for(self.line.read(size), LIMIT_S)

    async def ended(self) -> bool:
        """Waits until the server has closed the connection. Returns False if it sends something first."""
        try:
            await self._exactly(1)
        except (asyncio.IncompleteReadError, ConnectionError):
            return True
        return False

    async def close(self) -> None:
        await self.line.close()
