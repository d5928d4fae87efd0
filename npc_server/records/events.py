"""What game and mind tell each other, one event of the `Play` stream each."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from npc_server.records.actions import Action, GameAction, GameActionResult, Outcome
from npc_server.records.basics import Address, GameTime, NpcId, Source
from npc_server.records.talk import Speech


class PerceptionKind(str, Enum):
    PERSON = "person"
    OBJECT = "object"
    SPEECH = "speech"
    EVENT = "event"
    PLACE = "place"


@dataclass(frozen=True)
class Perception:
    npc: NpcId
    kind: PerceptionKind
    subject: str
    text: str
    address: Address
    distance: float
    """Metres."""
    at: GameTime


@dataclass(frozen=True)
class Reach:
    address: Address
    reachable: bool
    travel: float
    """Walking time in game seconds."""
    free: bool = True
    """Room for one more person now."""


@dataclass(frozen=True)
class PathResult:
    npc: NpcId
    query_id: str
    reaches: tuple[Reach, ...]


@dataclass(frozen=True)
class ObjectChange:
    address: Address
    state: str
    by: str = ""


@dataclass(frozen=True)
class Whereabouts:
    npc: NpcId
    address: Address
    player_distance: float = -1.0
    """Metres to the nearest player; negative when none is near."""


@dataclass(frozen=True)
class Clock:
    now: GameTime
    lockstep: bool = False
    speed: float = 0.0
    """Game seconds per wall second; 0 when paused or in lockstep."""


@dataclass(frozen=True)
class Rejected:
    """An event that could not be read. Its sequence number counts as taken, so that the events after it are not held up."""

    why: str


GameEvent = Perception | PathResult | Outcome | ObjectChange | Whereabouts | Clock | GameActionResult | Rejected


@dataclass(frozen=True)
class PathQuery:
    npc: NpcId
    query_id: str
    addresses: tuple[Address, ...]


@dataclass(frozen=True)
class Thought:
    npc: NpcId
    text: str
    source: Source
    at: GameTime


class NoticeLevel(str, Enum):
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True)
class Notice:
    level: NoticeLevel
    reason: str
    """Stable, upper case: `MODEL_MISSING`."""
    message: str
    seq: int = 0


@dataclass(frozen=True)
class Settled:
    """Lockstep: every mind has decided for the clock event `seq`."""

    seq: int
    next_wake: GameTime
    """When a mind wants to decide again if nothing happens before; 0 if none."""


MindEvent = Action | PathQuery | Speech | Thought | GameAction | Notice | Settled
