"""A clock for the deadlines of NPCs' requests. It stands still while the model answers a player, who comes first."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


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
