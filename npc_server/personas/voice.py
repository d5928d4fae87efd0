"""How a person talks, and which of its lines fit only some places and hours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from npc_server import clock
from npc_server.document_errors import Loc
from npc_server.personas.file import OwnLinePart, VoicePart, seconds
from npc_server.records import Address, GameTime, Turn


@dataclass(frozen=True)
class OnlyThere:
    """A place and hours to which a line of a voice belongs."""

    line: str
    where: Address = ""
    """Empty for every place."""
    start: int = 0
    """Seconds since midnight."""
    end: int = clock.DAY
    """The first second at which it no longer fits. It may be smaller than `start`, for hours past midnight."""
    loc: Loc = ()
    """Where the line stands in the file."""

    def is_at(self, now: GameTime) -> bool:
        """Whether the hour is one of its hours."""
        return (now - self.start) % clock.DAY < ((self.end - self.start) % clock.DAY or clock.DAY)


@dataclass(frozen=True)
class Voice:
    """How a person talks: a description, and lines that instinct says and the model imitates."""

    style: str = ""
    examples: tuple[str, ...] = ()
    exchanges: tuple[Turn, ...] = ()
    """Lines heard and answered that show a model how it talks. If empty, they are made of the lists."""
    greetings: tuple[str, ...] = ()
    farewells: tuple[str, ...] = ()
    smalltalk: tuple[str, ...] = ()
    dont_know: tuple[str, ...] = ()
    tempers: tuple[str, ...] = ()
    """Which replies of the bank of exchanges suit, the best first. If empty, they are guessed."""
    only: tuple[OnlyThere, ...] = ()
    """Where and when some of the lines fit. One that is not named here fits anywhere, and one that is named twice fits at both."""


def voice_of(part: VoicePart, place: Callable[[str], Address]) -> Voice:
    """The voice of a persona file. `place` makes an address of the file one of the world."""
    lists = {"greetings": part.greetings, "farewells": part.farewells, "smalltalk": part.smalltalk}
    return Voice(
        style=" ".join(part.style.split()),
        examples=part.examples,
        exchanges=tuple(Turn(it.heard, it.said) for it in part.exchanges),
        greetings=_texts(part.greetings),
        farewells=_texts(part.farewells),
        smalltalk=_texts(part.smalltalk),
        dont_know=part.dont_know,
        tempers=part.tempers,
        only=tuple(
            _only_there(line, place, ("voice", name, index))
            for name, lines in lists.items()
            for index, line in enumerate(lines)
            if line.names_some
        ),
    )


def _texts(lines: Sequence[OwnLinePart]) -> tuple[str, ...]:
    return tuple(line.say for line in lines)


def _only_there(line: OwnLinePart, place: Callable[[str], Address], loc: Loc) -> OnlyThere:
    return OnlyThere(line.say, place(line.where) if line.where else "", seconds(line.start), seconds(line.end), loc)
