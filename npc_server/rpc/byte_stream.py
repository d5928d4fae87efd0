"""The bytes of one connection of a game, over TCP or TLS: read as they are needed, written at once, and cut off where nobody reads."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable, Coroutine
from typing import Any, Protocol

import structlog

from npc_server.wire.calls import WAITING_LIMIT

STALLED_S = 60.0
"""Wall seconds for which more than `WAITING_LIMIT` bytes may wait for a game. It is then cut off, and may connect again."""
IDLE_S = 30
"""Seconds of silence after which the system asks whether the other machine is still there."""

_log = structlog.get_logger("npc_server.rpc")


class ByteStream(Protocol):
    """What the frames of a game go through."""

    async def read_exactly(self, size: int) -> bytes:
        """Return `size` bytes. Raises IncompleteReadError at the end, and ConnectionError."""
        ...

    async def read_some(self, most: int) -> bytes:
        """Return at least one byte and at most `most`; empty at the end."""
        ...

    def write(self, data: bytes) -> None: ...

    def waiting(self) -> int:
        """Return how many bytes wait for the game; -1 if it is gone."""
        ...

    async def until_room(self) -> None:
        """Wait while more bytes than `WAITING_LIMIT` wait for the game."""
        ...

    async def close(self) -> None:
        """Send what waits, and end the connection."""
        ...


class TcpStream:
    """TCP, with TLS or without."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        writer.transport.set_write_buffer_limits(high=WAITING_LIMIT)
        ask_whether_there(writer.transport)

    async def read_exactly(self, size: int) -> bytes:
        return await self._reader.readexactly(size)

    async def read_some(self, most: int) -> bytes:
        return await self._reader.read(most)

    def write(self, data: bytes) -> None:
        self._writer.write(data)

    def waiting(self) -> int:
        return -1 if self._writer.transport.is_closing() else self._writer.transport.get_write_buffer_size()

    async def until_room(self) -> None:
        await self._writer.drain()

    async def close(self) -> None:
        self._writer.close()


class GameProtocol(asyncio.StreamReaderProtocol):
    """Gives each connection to `meet`, and cuts off a game that does not read what waits for it."""

    def __init__(self, meet: Callable[[ByteStream], Coroutine[Any, Any, None]]) -> None:
        loop = asyncio.get_running_loop()

        async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await meet(TcpStream(reader, writer))

        super().__init__(asyncio.StreamReader(loop=loop), connected, loop=loop)
        self._cut: asyncio.TimerHandle | None = None
        self._connection: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._connection = transport
        super().connection_made(transport)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._cut = asyncio.get_running_loop().call_later(STALLED_S, self._cut_off)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._forget()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget()
        super().connection_lost(exc)

    def _cut_off(self) -> None:
        if self._connection is not None:
            tell_cut_off()
            self._connection.abort()

    def _forget(self) -> None:
        if self._cut is not None:
            self._cut.cancel()
        self._cut = None


def tell_cut_off() -> None:
    _log.warning("a game does not read what waits for it, so it is cut off", seconds=STALLED_S, bytes=WAITING_LIMIT)


def ask_whether_there(transport: asyncio.BaseTransport) -> None:
    """Let the system find out when the other machine is gone. A game that is cut from the network says no word."""
    connection = transport.get_extra_info("socket")
    if connection is None:
        return
    with contextlib.suppress(OSError):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in (("TCP_KEEPIDLE", IDLE_S), ("TCP_KEEPINTVL", IDLE_S // 3), ("TCP_KEEPCNT", 3)):
            if hasattr(socket, name):  # not each system has each
                connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
