"""What recent lines tell, so that people who overhear them know more than the words.

A game sends only the words to those who stand by. For its own lines instinct knows the news: a greeting tells nothing, and "Have you heard?
…" tells one thing. A town that passed on every greeting would talk of nothing else.
"""

from __future__ import annotations

from npc_server.records import Line, NpcId

KEPT = 1000
"""Lines kept."""


class SaidLately:
    """The recent lines of a session, shared by its minds. It is not saved: older lines are judged by their words."""

    def __init__(self) -> None:
        self._lines: dict[tuple[NpcId, str], Line] = {}

    def note(self, line: Line) -> None:
        """Keeps a line of an NPC. Its claims are None where they are unknown, as with a model's own words."""
        self._lines.pop((line.speaker, line.text.strip()), None)
        self._lines[line.speaker, line.text.strip()] = line
        while len(self._lines) > KEPT:
            del self._lines[next(iter(self._lines))]

    def of(self, speaker: NpcId) -> list[str]:
        """The recent lines of a speaker, the oldest first."""
        return [text for who, text in self._lines if who == speaker]

    def line(self, speaker: NpcId, text: str) -> Line | None:
        """The line that was said in these words; None where that was long ago, or never. Its claims are true whoever says them."""
        return self._lines.get((speaker, text.strip()))
