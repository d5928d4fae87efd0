"""Overheard: what lines tell that were said lately, known to whoever hears them, as far as their speakers know it themselves.

What instinct says it knows: a greeting tells nothing, and "Have you heard? ..." tells one thing. A game sends only the words back to those
who stand by, and a town that passed on every greeting would talk of nothing else.
"""

from __future__ import annotations

from npc_server.records import NpcId

KEPT = 1000
"""Lines."""


class SaidLately:
    """The lines of a session, shared by its minds. It is not stored: of older lines one judges by their words."""

    def __init__(self) -> None:
        self._tells: dict[tuple[NpcId, str], tuple[str, ...] | None] = {}

    def note(self, speaker: NpcId, text: str, tells: tuple[str, ...] | None) -> None:
        """`tells` is None where it is not known, as of a model's own words."""
        self._tells.pop((speaker, text.strip()), None)
        self._tells[speaker, text.strip()] = tells
        while len(self._tells) > KEPT:
            del self._tells[next(iter(self._tells))]

    def tells(self, speaker: NpcId, text: str) -> tuple[str, ...] | None:
        """What a line tells, as sentences that are true in anybody's mouth; None where that is not known."""
        return self._tells.get((speaker, text.strip()))
