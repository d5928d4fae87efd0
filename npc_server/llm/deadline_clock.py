"""A clock for the deadlines of NPCs' requests. It stands still while the model answers a player, who comes first."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from npc_server.llm.deadline import Deadline

LEAST_WAIT_S = 0.05
"""Wall seconds between two looks at the clock, which stands still while a player is answered."""


class DeadlineClock:
    """Counts seconds, except those in which a player is being answered."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._players = 0
        self._stopped_at = self._stood = 0.0

    def now(self) -> float:
        """Seconds on this clock, from an arbitrary start."""
        return (self._stopped_at if self._players else self._clock()) - self._stood

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Stops the clock for a `with` block in which a player is answered. Blocks may overlap."""
        if not self._players:
            self._stopped_at = self._clock()
        self._players += 1
        try:
            yield
        finally:
            self._players -= 1
            if not self._players:
                self._stood += self._clock() - self._stopped_at


async def comes_in_time(
    answer: asyncio.Future[Any], mine: Deadline, limit_s: float, *, for_player: bool, clock: DeadlineClock, helps: bool = False
) -> bool:
    """Waits for an answer, and returns whether it came within `limit_s` and until the task's own deadline.

    For an answer to a player `limit_s` are wall seconds, and they stop `clock`. Others have `limit_s` seconds of `clock`.
    """
    if for_player:
        with clock.stopped():
            return await mine.wait_for(answer, limit_s, helps=helps)
    end = clock.now() + limit_s
    while not answer.done() and not mine.is_over(helps=helps) and (left := end - clock.now()) > 0:
        await mine.wait_for(answer, max(left, LEAST_WAIT_S), helps=helps)
    return answer.done()
