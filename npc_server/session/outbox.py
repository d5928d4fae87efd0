"""Queues the events of the minds until the stream of the game takes them."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Sequence

from npc_server.errors import Overloaded, StreamReplaced
from npc_server.records import MindEvent

LIMIT = 20_000
"""Most events that may wait. Then the stream ends. 25 talkative people send as many in about a minute."""


class Outbox:
    """A queue with one reader, which takes all waiting events of one epoch as a batch."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[int, MindEvent]] = deque()
        self._news = asyncio.Event()
        self._error: Exception | None = None
        self._ended = False
        self.read = False
        """Whether a stream reads the queue now."""

    def put(self, epoch: int, events: Sequence[MindEvent]) -> None:
        if self._ended:
            return
        if len(self._waiting) + len(events) > LIMIT:
            self._waiting.clear()
            self.end(Overloaded(f"The game left {LIMIT} events unread.", "Read the stream in every frame, then connect again."))
            return
        self._waiting.extend((epoch, event) for event in events)
        self._news.set()

    def end(self, error: Exception | None = None) -> None:
        """Ends the iteration of the reader after the waiting events. If `error` is given, the reader raises it."""
        self._ended, self._error = True, self._error or error
        self._news.set()

    def replaced(self) -> None:
        self.end(StreamReplaced("Another Play stream was opened for this session.", "Play on one stream; this one has ended."))

    async def __aiter__(self) -> AsyncIterator[tuple[int, list[MindEvent]]]:
        """Yields batches of events in order. Each batch has one epoch."""
        self.read = True
        try:
            while True:
                await self._news.wait()
                self._news.clear()
                while self._waiting:
                    yield self._batch()
                if self._ended:
                    if self._error is not None:
                        raise self._error
                    return
        finally:
            self.read = False

    def _batch(self) -> tuple[int, list[MindEvent]]:
        epoch = self._waiting[0][0]
        batch: list[MindEvent] = []
        while self._waiting and self._waiting[0][0] == epoch:
            batch.append(self._waiting.popleft()[1])
        return epoch, batch
