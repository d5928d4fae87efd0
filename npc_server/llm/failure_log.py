"""Logs a failure that comes again and again once a minute, with how often it came."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import structlog

EVERY_S = 60.0


class FailureLog:
    """One kind of failure. The first is logged at once, and those of the next minute are counted."""

    def __init__(self, event: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._event, self._clock = event, clock
        self._log = structlog.get_logger(__name__)
        self._logged_at = -math.inf
        self._times = 0

    def note(self, error: Exception) -> None:
        """Count a failure, and log it unless one was logged in the last minute."""
        self._times += 1
        now = self._clock()
        if now - self._logged_at >= EVERY_S:
            self._log.warning(self._event, times=self._times, error=str(error))
            self._logged_at, self._times = now, 0
