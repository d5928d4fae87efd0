"""What recent lines tell, so that people who overhear them know more than the words.

A game sends only the words to those who stand by. For its own lines instinct knows the news: a greeting tells nothing, and "Have you heard?
…" tells one thing. A town that passed on every greeting would talk of nothing else.
"""

from __future__ import annotations

from npc_server.records import NpcId

KEPT = 1000
"""Lines kept."""


class SaidLately:
    """The recent lines of a session, shared by its minds. It is not saved: older lines are judged by their words."""

    def __init__(self) -> None:
        self._tells: dict[tuple[NpcId, str], tuple[str, ...] | None] = {}

    def note(self, speaker: NpcId, text: str, tells: tuple[str, ...] | None) -> None:
        """`tells` is None where it is unknown, as with a model's own words."""
        self._tells.pop((speaker, text.strip()), None)
        self._tells[speaker, text.strip()] = tells
        while len(self._tells) > KEPT:
            del self._tells[next(iter(self._tells))]

    def of(self, speaker: NpcId) -> list[str]:
        """The recent lines of a speaker, the oldest first."""
        return [text for who, text in self._tells if who == speaker]

    def tells(self, speaker: NpcId, text: str) -> tuple[str, ...] | None:
        """What a line tells, as sentences that are true whoever says them; None where that is unknown."""
        return self._tells.get((speaker, text.strip()))
