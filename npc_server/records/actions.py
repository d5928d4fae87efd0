"""What an NPC does, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from npc_server.records.basics import Address, GameTime, NpcId, Source


@dataclass(frozen=True)
class Action:
    """What an NPC does: a sentence, an address, an emoji pair, and what becomes of the object."""

    id: str
    """Unique in the save: `<npc>/<number>`."""
    npc: NpcId
    sentence: str
    address: Address
    emoji: str
    start: GameTime
    end: GameTime
    """Over at or after this time."""
    object_action: str = ""
    object_state: str = ""
    object_state_after: str = ""
    source: Source = Source.INSTINCT


class OutcomeStatus(str, Enum):
    ARRIVED = "arrived"
    DONE = "done"
    FAILED = "failed"


class OutcomeReason(str, Enum):
    """Why an action could not be done, for the mind to go by; `Outcome.reason` is for people."""

    OTHER = "other"
    OCCUPIED = "occupied"
    """No room there now."""
    UNREACHABLE = "unreachable"
    CLOSED = "closed"
    """Private, or outside its hours."""
    UNSUITABLE = "unsuitable"
    """The thing is in another state, or is not for that."""
    INTERRUPTED = "interrupted"
    """The game broke it off."""


@dataclass(frozen=True)
class Outcome:
    npc: NpcId
    action_id: str
    status: OutcomeStatus
    reason: str = ""
    """In words."""
    address: Address = ""
    code: OutcomeReason = OutcomeReason.OTHER
    """Says something of FAILED alone."""


@dataclass(frozen=True)
class GameAction:
    """An action of the game's own that an NPC chose in dialogue: `accept_quest`, with typed parameters."""

    npc: NpcId
    call_id: str
    name: str
    arguments: str
    """A JSON object."""


@dataclass(frozen=True)
class GameActionResult:
    """Whether an action that an NPC chose in dialogue happened."""

    npc: NpcId
    call_id: str
    happened: bool
    reason: str = ""
