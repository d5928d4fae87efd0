"""Conversations, their lines, and speech on its way to the game."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from npc_server.records.basics import Address, GameTime, NpcId, Source

LINE_CHARS = 240
"""The longest spoken line."""


class Why(str, Enum):
    """Why instinct says a line. Whatever is not `TALK` was asked for, and nothing else is said in its place."""

    TALK = "talk"
    """It is something to say."""
    CALL = "call"
    """It goes with an action of the game that was asked for."""
    ASK_BACK = "ask_back"
    """It asks what is missing for such an action, or whether it is wanted."""
    REFUSAL = "refusal"
    """It turns down a request or an invitation."""
    AGREED = "agreed"
    """It accepts an invitation."""
    RECALLED = "recalled"
    """It tells the very thing that was asked for: the other's name, what they did, or what was done for them."""


@dataclass(frozen=True)
class OfferTurn:
    """Which offer of its persona a line is about, so that the answer to it is read by code and not by its words."""

    offer: str
    parameter: str = ""
    """ASK_BACK, REFUSAL: the parameter whose value is wanted; empty if the line asks whether the offer is wanted at all."""
    given: tuple[tuple[str, str | int], ...] = ()
    """The values that are known, by parameter."""


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
    why: Why = Why.TALK
    offer: OfferTurn | None = None


@dataclass(frozen=True)
class Turn:
    """One turn of a chat: what the model was given, and what it answered."""

    heard: str
    said: str


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
