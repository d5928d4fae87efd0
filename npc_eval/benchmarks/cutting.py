"""A proxy between a game and its server that cuts connections in the middle of anything, as a bad line does."""

from __future__ import annotations

import asyncio
import contextlib
import random
import threading
from collections.abc import Iterator

PIECE = 1 << 12
FIRST = 1 << 16


class CuttingProxy:
    """Cuts the first `cuts` connections, each after some of its bytes, or after about `lives_s` seconds. Those after them live."""

    def __init__(self, target: str, cuts: int, rng: random.Random, slow_s: float = 0.0, lives_s: float = 0.0) -> None:
        self._host, _, port = target.rpartition(":")
        self._port = int(port)
        self._cuts = cuts
        self._rng = rng
        self._slow_s = slow_s
        self._lives_s = lives_s
        self.made = 0
        """Connections that were made so far."""

    async def serve(self, ready: threading.Event) -> None:
        """Until `stop` is called."""
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.address = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        ready.set()
        await self._stop.wait()
        server.close()

    def stop(self) -> None:
        """May be called from any thread."""
        self._loop.call_soon_threadsafe(self._stop.set)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.made += 1
        is_cut = self.made <= self._cuts
        left = [self._bytes_left()] if is_cut and not self._lives_s else None
        limit_s = self._rng.uniform(0.5, 1.5) * self._lives_s if is_cut and self._lives_s else None
        up, down = await asyncio.open_connection(self._host, self._port)
        ways = [asyncio.ensure_future(self._pass(*ends, left)) for ends in ((reader, down), (up, writer))]
        try:
            await asyncio.wait(ways, timeout=limit_s, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for end in (writer, down):
                if self._rng.random() < 0.5:
                    end.transport.abort()
                end.close()
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)

    def _bytes_left(self) -> int:
        """Of the first connection so many that a save is opened. Few are followed by many, so that the game is welcomed in between: who
        meets nobody again and again comes more and more rarely."""
        if self.made == 1:
            return FIRST + self._rng.randrange(PIECE)
        return self._rng.choice((0, 3, 40, 400)) if self.made % 3 == 0 else self._rng.randrange(1_000, 20_000)

    async def _pass(self, source: asyncio.StreamReader, target: asyncio.StreamWriter, left: list[int] | None) -> None:
        """Until the source ends, or no byte of `left` is left."""
        with contextlib.suppress(ConnectionError):
            while data := await source.read(PIECE):
                if left is not None:
                    data = data[: max(left[0], 0)]
                    left[0] -= len(data)
                target.write(data)
                await target.drain()
                await asyncio.sleep(self._slow_s)
                if left is not None and left[0] <= 0:
                    return


@contextlib.contextmanager
def cutting(target: str, cuts: int, seed: int = 5, slow_s: float = 0.0, lives_s: float = 0.0) -> Iterator[CuttingProxy]:
    """A proxy in a thread of its own, for the time of a `with` block. It waits `slow_s` after each piece."""
    proxy, ready = CuttingProxy(target, cuts, random.Random(seed), slow_s, lives_s), threading.Event()
    thread = threading.Thread(target=lambda: asyncio.run(proxy.serve(ready)))
    thread.start()
    ready.wait()
    try:
        yield proxy
    finally:
        proxy.stop()
        thread.join()
