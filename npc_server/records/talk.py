"""Conversations, their lines, and speech on its way to the game."""

from __future__ import annotations

from dataclasses import dataclass

from npc_server.records.basics import Address, GameTime, NpcId, Source


@dataclass(frozen=True)
class Line:
    """A line of a conversation. `speaker` is an NPC id or a player's name."""

    speaker: str
    text: str
    at: GameTime
    claims: tuple[str, ...] | None = None
    """The news it tells, in the third person. None where that is unknown; instinct knows what its own lines tell."""
    leaves: bool = False
    """Whether its speaker takes leave with it."""
    of_occasion: bool = False
    """Whether its news is that its speaker was at an occasion, or host at one."""
    has_topic: bool = False
    """Whether its speaker says what they came to talk about. Instinct knows that of its own lines."""


@dataclass(frozen=True)
class Talk:
    """A conversation so far: its people, its place, and its lines in order."""

    id: str
    people: tuple[str, ...]
    place: Address
    started: GameTime
    lines: tuple[Line, ...] = ()
    again: bool = False
    """Whether those who began it have talked with each other today already. A save does not hold it."""


@dataclass(frozen=True)
class TalkPart:
    """What a mind has summed up of a talk with one person while it goes on (AGA, section 3.2). A save does not hold it."""

    talk: str
    """The id of the talk; empty for a talk with a player."""
    closeness: int
    """The closeness to the other before the talk."""
    asked: int = 0
    """The number of lines when the model was last asked. With a player, the id of the latest memory at that time."""
    lines: int = 0
    """How many lines the Social Memory includes. 0 when no model has answered."""
    about: str = ""
    told: tuple[str, ...] = ()
    promised: str = ""


@dataclass(frozen=True)
class TalkWish:
    """A wish to talk with somebody about something, kept until it comes to it."""

    to: str
    """An NPC id or a player's name."""
    about: str
    at: GameTime


@dataclass(frozen=True)
class Speech:
    npc: NpcId
    text: str
    at: GameTime
    to: tuple[str, ...] = ()
    partial: bool = False
    conversation: str = ""
    source: Source = Source.MODEL
    """What decided the words. Only a model's words come one by one."""
