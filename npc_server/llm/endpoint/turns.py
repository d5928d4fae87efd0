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
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._arrivals = itertools.count()
        self.running = 0

    @property
    def waiting(self) -> int:
        return sum(not it.done() for _, _, it in self._waiting)

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
        heapq.heappush(self._waiting, (int(priority), next(self._arrivals), place))
        self._let_in()
        try:
            await place
            yield
        finally:
            if place.done() and not place.cancelled():
                self.running -= 1
            place.cancel()
            self._let_in()

    def _let_in(self) -> None:
        while self._waiting:
            priority, _, place = self._waiting[0]
            if place.done():  # its task was cancelled
                heapq.heappop(self._waiting)
                continue
            places = self._places if priority == Priority.PLAYER else max(self._places - 1, 1)
            if self.running >= places:
                return
            heapq.heappop(self._waiting)
            self.running += 1
            place.set_result(None)
