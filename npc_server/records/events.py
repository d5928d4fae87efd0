"""What game and mind send each other: one record for each event of the `Play` stream, such as a perception or a path result."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from npc_server.records.actions import Action, GameAction, GameActionResult, Outcome
from npc_server.records.basics import Address, GameTime, NpcId, Source
from npc_server.records.needs import Feelings
from npc_server.records.talk import Speech


class PerceptionKind(str, Enum):
    PERSON = "person"
    OBJECT = "object"
    SPEECH = "speech"
    EVENT = "event"
    PLACE = "place"


class PlayerPresence(str, Enum):
    """Whether an NPC may speak to a player whom it perceives."""

    FREE = "free"
    BUSY = "busy"
    GONE = "gone"
    """Out of sight."""


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
    on_the_way_to: Address = ""
    """PERSON: where they are walking to. Empty for who is doing something."""
    player: PlayerPresence | None = None
    """PERSON, EVENT: set if the subject is a player. An EVENT is then something that the player did."""


@dataclass(frozen=True)
class Reach:
    address: Address
    reachable: bool
    travel: float
    """Walking time in game seconds."""
    free: bool = True
    """Whether there is room for one more person now."""


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


class RestraintKind(str, Enum):
    """What a scripted scene keeps an NPC from."""

    SILENT = "silent"
    """It says nothing, and nobody begins a talk with it."""
    UNAWARE = "unaware"
    """It takes no notice of what happens, remembers none of it, and is silent."""


@dataclass(frozen=True)
class Restraint:
    """Begins or ends a restraint of an NPC."""

    npc: NpcId
    kind: RestraintKind
    on: bool
    until: GameTime = 0
    """When it ends by itself; 0 for never."""


@dataclass(frozen=True)
class Clock:
    now: GameTime
    lockstep: bool = False
    speed: float = 0.0
    """Game seconds per wall second; 0 when paused or in lockstep."""


@dataclass(frozen=True)
class Rejected:
    """An event that the server could not read. Its sequence number counts as taken, so that later events are not held up."""

    why: str


GameEvent = Perception | PathResult | Outcome | ObjectChange | Whereabouts | Clock | GameActionResult | Restraint | Rejected


@dataclass(frozen=True)
class PathQuery:
    npc: NpcId
    query_id: str
    addresses: tuple[Address, ...]


@dataclass(frozen=True)
class Approach:
    """An NPC comes up to a player with a first line. A `Speech` with the same line follows."""

    npc: NpcId
    player: str
    about: str
    """Why it comes; empty for a mere greeting."""
    text: str
    conversation: str
    at: GameTime
    source: Source


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
    """In lockstep: every mind has decided for the clock event `seq`."""

    seq: int
    next_wake: GameTime
    """When the next mind wants to decide if nothing happens before; 0 if none."""


MindEvent = Action | PathQuery | Speech | Approach | Thought | GameAction | Feelings | Notice | Settled
