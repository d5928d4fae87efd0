"""Seconds that others wait for the model: while a player is answered they stand still, and so does their deadline."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class StandingClock:
    """Runs while no player is answered."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._players = 0
        self._stopped_at = self._stood = 0.0

    def now(self) -> float:
        return (self._stopped_at if self._players else self._clock()) - self._stood

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """While inside, a player is answered."""
        if not self._players:
            self._stopped_at = self._clock()
        self._players += 1
        try:
            yield
        finally:
            self._players -= 1
            if not self._players:
                self._stood += self._clock() - self._stopped_at
