"""A game on the socket, in Python: what Godot's half does, and what it never would."""

from __future__ import annotations

import asyncio
import itertools
from typing import Any

from npc_server.rpc.socket_front import LENGTH, MAGIC
from npc_server.wire.variants import decode, encode
from tests.waiting import LIMIT_S


class SocketGame:
    """Sends commands, and reads events."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self._ids = itertools.count(1)

    @classmethod
    async def connect(cls, address: str, token: str | None = None, limit: int = 1 << 16) -> SocketGame:
        """With a token it says hello, and waits until it is connected."""
        host, _, port = address.rpartition(":")
        game = cls(*await asyncio.open_connection(host.strip("[]"), int(port), limit=limit))
        if token is not None:
            game.frame(MAGIC + token.encode())
            event = await game.event()
            assert event == {"id": 0, "event": "connected"}, event
        return game

    def frame(self, data: bytes) -> None:
        self.writer.write(LENGTH.pack(len(data)) + data)

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
        return await asyncio.wait_for(self.reader.readexactly(size), LIMIT_S)

    async def ended(self) -> bool:
        """Waits until the server has closed the connection. Returns False if it sends something first."""
        try:
            return await asyncio.wait_for(self.reader.read(1), LIMIT_S) == b""
        except ConnectionError:
            return True

    async def close(self) -> None:
        self.writer.close()
        await asyncio.gather(self.writer.wait_closed(), return_exceptions=True)
