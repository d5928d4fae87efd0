"""A talk as a chat with the model: the record of what the model was shown of it. `lines.chat` grows it.

What stays the same stands first, each line is a turn, and what is new stands before the newest line. Nothing that the model has read is
rewritten, so for each line it reads only that line. Generative Agents, section 4.3.2, shows a model the whole dialogue each time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from npc_server.records import Line, Talk, Turn

NOTHING_HEARD = "…"
"""Stands in a turn for what was heard where nobody has spoken."""
DROPPED = 0.5
"""Share of the turns that goes when the context is full: the oldest. Dropping more at once lets the rest be read again less often."""


@dataclass(frozen=True)
class Chat:
    """What the model has been shown of one talk. A talk's own lines are in the talk."""

    talk: str
    """The id of the talk."""
    system: str
    examples: tuple[Turn, ...]
    """Turns before the talk that show form and manner."""
    opening: str
    """The note with which the talk begins."""
    heard: Mapping[int, str] = field(default_factory=dict)
    """What the model was given for each of its own lines: notes and lines, by the line's place in the talk."""
    memories: frozenset[int] = frozenset()
    """Ids of the memories that a note has shown."""
    first: int = 0
    """Place of the first line that is still shown. The opening stands before it."""
    correction: str = ""
    """What the next note says of the last line, such as that a promise cannot be kept."""

    def turns(self, talk: Talk, speaker: str, name_of: Mapping[str, str]) -> tuple[Turn, ...]:
        """Return the talk's finished turns, after the examples: what was heard since the line before, and what `speaker` said."""
        found: list[Turn] = []
        waiting: list[Line] = []
        for place, line in enumerate(talk.lines):
            if place < self.first:
                continue
            if line.speaker != speaker:
                waiting.append(line)
                continue
            given = self.heard.get(place) or as_heard(talk, waiting, name_of)
            found.append(Turn(given, line.text))
            waiting = []
        return (*self.examples, *found)

    def given(self, place: int, text: str) -> Chat:
        """Return the chat with what the model is given for its line at `place`."""
        return replace(self, heard={**self.heard, place: text}, correction="")

    def shortened(self, talk: Talk, speaker: str) -> Chat:
        """Return the chat without its oldest turns. The opening then stands before the first turn that is left."""
        own = [place for place, line in enumerate(talk.lines) if line.speaker == speaker and place >= self.first]
        if not own:
            return self
        gone = own[: max(1, int(len(own) * DROPPED))]
        first = gone[-1] + 1
        kept = {place: text for place, text in self.heard.items() if place >= first}
        after = next((place for place in own if place >= first), None)
        if after is not None and after in kept:
            kept[after] = f"{self.opening}\n{kept[after]}"
        return replace(self, heard=kept, first=first)


def as_heard(talk: Talk, lines: Sequence[Line], name_of: Mapping[str, str]) -> str:
    """Return lines as a turn gives them, with the speaker's name where more than one may speak."""
    several = len(talk.people) > 2
    return "\n".join(f"{name_of.get(line.speaker, line.speaker)}: {line.text}" if several else line.text for line in lines) or NOTHING_HEARD
