"""What an NPC does, and how it ended: actions, outcomes with their reasons, and actions of the game chosen in dialogue."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from npc_server.records.basics import Address, GameTime, NpcId, Source


@dataclass(frozen=True)
class Action:
    """What an NPC does: a sentence, an address, an emoji pair, and the object's states."""

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
    seen_as: str = ""
    """What others see the NPC do, without its name: `is kneading dough`. Empty where `sentence` says it."""
    talks_with: tuple[NpcId, ...] = ()
    """NPC ids and names of players with whom it talks during this action. Its body comes near and turns to them."""


class OutcomeStatus(str, Enum):
    ARRIVED = "arrived"
    DONE = "done"
    FAILED = "failed"


class OutcomeReason(str, Enum):
    """Why an action failed. The mind goes by this code; `Outcome.reason` is for people."""

    OTHER = "other"
    OCCUPIED = "occupied"
    """There is no room now."""
    UNREACHABLE = "unreachable"
    CLOSED = "closed"
    """Private, or outside its hours."""
    UNSUITABLE = "unsuitable"
    """The object is in another state, or not made for that."""
    INTERRUPTED = "interrupted"
    """The game interrupted it."""


@dataclass(frozen=True)
class Outcome:
    npc: NpcId
    action_id: str
    status: OutcomeStatus
    reason: str = ""
    """In words."""
    address: Address = ""
    code: OutcomeReason = OutcomeReason.OTHER
    """Only FAILED has a meaningful one."""


@dataclass(frozen=True)
class GameAction:
    """An action of the game that an NPC chose in dialogue, such as `accept_quest`, with typed parameters."""

    npc: NpcId
    call_id: str
    name: str
    arguments: str
    """A JSON object."""


@dataclass(frozen=True)
class GameActionResult:
    """Whether an action that an NPC chose in dialogue took place."""

    npc: NpcId
    call_id: str
    happened: bool
    reason: str = ""
