"""Guesses when a system text will be asked with again, so that the prompt of whoever asks next is kept.

Time is counted in requests. Somebody who asks every few requests is expected again after as many. Somebody who was asked for once, or is
overdue, is expected after one request more than they have been silent: the longer, the less likely they come back soon.
"""

from __future__ import annotations

KNOWN = 1024
"""Most system texts that are remembered."""
WEIGHT = 0.5
"""How much the latest pause counts beside those before it."""


class NextAsks:
    """Remembers when each system text was asked with, and how long the pauses were."""

    def __init__(self) -> None:
        self.now = 0
        """Requests so far."""
        self._asked: dict[bytes, tuple[int, float | None]] = {}
        """For each text: the latest request, and the usual pause, if there was one. The latest text comes last."""

    def ask(self, text: bytes) -> None:
        """Takes note of a request with a system text."""
        self.now += 1
        latest, usual = self._asked.pop(text, (0, None))
        if latest:
            pause = float(self.now - latest)
            usual = pause if usual is None else WEIGHT * pause + (1 - WEIGHT) * usual
        self._asked[text] = (self.now, usual)
        if len(self._asked) > KNOWN:
            del self._asked[next(iter(self._asked))]

    def wait(self, text: bytes) -> float:
        """Returns after how many requests the text is expected again. One that was never asked with is expected last."""
        latest, usual = self._asked.get(text, (0, None))
        if usual is not None and latest + usual >= self.now:
            return latest + usual - self.now
        return float(self.now - latest + 1)
