"""Talks between a player and a character, written by hand.

A file holds the talks of one world, one JSON object a line. `models/talks/README.md` explains the fields.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from models.training.examples import Record, Text, Written, read_lines

TALKS = Path(__file__).parent.parent / "talks"


class Line(Record):
    """One line of a talk."""

    who: Literal["player", "npc"]
    text: str = Text
    leaves: bool = False
    """The character ends the talk with this line."""
    agrees: str = ""
    """What the character agrees to with this line, as day, hour and place: `Sunday 15:00 at the pond`."""


class TalkExample(Record):
    """One talk, with all that the character knows while it speaks."""

    name: str = Text
    age: int = Field(ge=1, le=999)
    identity: tuple[str, ...] = Field(min_length=2, max_length=10)
    """Sentences in the third person. What must stay private is not among them."""
    secrets: tuple[str, ...] = ()
    voice: tuple[str, ...] = Field(min_length=1, max_length=4)
    """Lines that show how the character speaks."""
    at: str = Field(pattern=r"\d\d:\d\d$")
    """Day and time: `Tuesday 5 May, 10:20`."""
    place: str = Text
    doing: str = Text
    next: str = ""
    today: tuple[str, ...] = ()
    """What the character did earlier today, oldest first."""
    present: tuple[str, ...] = ()
    """Who else can hear the talk."""
    player: str = ""
    """The player's name, if the talk needs one."""
    relation: str = Text
    """What the player is to the character: `a stranger, never met`."""
    memories: tuple[str, ...] = Field(default=(), max_length=12)
    turns: tuple[Line, ...] = Field(min_length=4, max_length=20)

    @model_validator(mode="after")
    def _in_turn(self) -> TalkExample:
        for number, line in enumerate(self.turns):
            if line.who != ("player", "npc")[number % 2]:
                raise ValueError(f"line {number + 1} of the talk is by {line.who!r}; the player begins, and both speak in turn")
            if line.who == "player" and (line.leaves or line.agrees):
                raise ValueError(f"line {number + 1} is the player's and has `leaves` or `agrees`, which only the npc's lines have")
        if len(self.turns) % 2:
            raise ValueError("the last line is the player's; end the talk with the npc's answer")
        return self


def read(path: Path) -> Iterator[Written[TalkExample]]:
    """The talks of a file. Raises BadExample."""
    return read_lines(path, TalkExample)
