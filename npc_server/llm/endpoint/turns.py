"""Lets so many requests at once out to endpoints, and the most urgent first. One place is kept for players."""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from npc_server.errors import Overloaded
from npc_server.llm.engine import Priority


class Turns:
    """A queue for `places` requests at once. With a single place, players have none of their own."""

    def __init__(self, places: int, queue_limit: int) -> None:
        self._places, self._queue_limit = places, queue_limit
        self._line: list[tuple[int, int, asyncio.Future[None]]] = []
        self._arrivals = itertools.count()
        self.running = 0
        self.waiting = 0
        """Counted, and not looked up in the line: every mind asks for it in each thought, and a thousand may wait."""

    @asynccontextmanager
    async def turn(self, priority: Priority) -> AsyncIterator[None]:
        """Waits for a place, and holds it for a `with` block. Raises Overloaded when too many wait."""
        if self.waiting >= self._queue_limit:
            raise Overloaded(
                f"{self.waiting} requests wait for the endpoint.",
                "Ask less often, or raise engine.queue_limit.",
                queue_limit=self._queue_limit,
            )
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._line, (int(priority), next(self._arrivals), place))
        self.waiting += 1
        self._let_in()
        try:
            await place
            yield
        finally:
            if place.done() and not place.cancelled():
                self.running -= 1
            else:
                self.waiting -= 1
            place.cancel()
            self._let_in()

    def _let_in(self) -> None:
        while self._line:
            priority, _, place = self._line[0]
            if place.done():  # its task was cancelled
                heapq.heappop(self._line)
                continue
            places = self._places if priority == Priority.PLAYER else max(self._places - 1, 1)
            if self.running >= places:
                return
            heapq.heappop(self._line)
            self.running += 1
            self.waiting -= 1
            place.set_result(None)
