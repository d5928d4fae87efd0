"""One deadline for everything that models are asked on somebody's behalf, however many questions that takes.

It belongs to the task that asks and to the tasks it starts, as `asyncio.timeout` does. So nobody passes it through every stage. Whoever
waits for another's thought may shorten that one's deadline.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

_OF_TASK: ContextVar[Deadline | None] = ContextVar("deadline", default=None)


class Deadline:
    """Endless, until somebody ends it."""

    def __init__(self) -> None:
        self.until = math.inf
        """`time.monotonic()` at which it ends."""
        self._waiting: set[asyncio.Future[None]] = set()

    @property
    def left_s(self) -> float:
        return self.until - time.monotonic()

    def end_at(self, until: float) -> None:
        """Ends it then, unless it ends earlier; also for what is waited for already."""
        if until < self.until:
            self.until = until
            for waiting in self._waiting:
                if not waiting.done():
                    waiting.set_result(None)

    async def wait_for(self, answer: asyncio.Future[Any], limit_s: float = math.inf) -> bool:
        """Whether the answer came within `limit_s` seconds, and before the deadline. It is not cancelled."""
        end = time.monotonic() + limit_s
        while not answer.done() and (left := min(end - time.monotonic(), self.left_s)) > 0:
            shortened = asyncio.get_running_loop().create_future()
            self._waiting.add(shortened)
            try:
                await asyncio.wait({answer, shortened}, timeout=left if left < math.inf else None, return_when=asyncio.FIRST_COMPLETED)
            finally:
                self._waiting.discard(shortened)
        return answer.done()


def current_deadline() -> Deadline:
    """That of the task that asks; endless where nobody gave it one."""
    return _OF_TASK.get() or Deadline()


@contextmanager
def under_deadline(with_: Deadline) -> Iterator[Deadline]:
    """Within it, what this task asks, and what it starts, waits with this deadline."""
    token = _OF_TASK.set(with_)
    try:
        yield with_
    finally:
        _OF_TASK.reset(token)


@contextmanager
def at_most(seconds: float) -> Iterator[Deadline]:
    """Within it, models are waited for so many seconds in all."""
    mine = Deadline()
    mine.end_at(time.monotonic() + seconds)
    with under_deadline(mine):
        yield mine
