"""What passes between rooms: frozen records, named by the papers.

All times are game time: whole seconds since 1970-01-01 00:00 on the game's own calendar (see `clock`).
An address joins the ids of a node and its parents with ":", e.g. `millbrook:cafe:kitchen:stove`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

GameTime = int
Address = str
NpcId = str


class MemoryKind(str, Enum):
    """What a memory is of (Generative Agents, section 4.1)."""

    OBSERVATION = "observation"
    PLAN = "plan"
    REFLECTION = "reflection"
    CONVERSATION = "conversation"
    SEED = "seed"
    """A fact of the persona's identity."""
    INTENTION = "intention"
    """Taken from the inner voice."""


class MemorySource(str, Enum):
    """How an NPC came to know something; `Memory.source_person` says from whom."""

    SEEN = "seen"
    HEARD = "heard"
    """Overheard."""
    TOLD = "told"
    """Told by somebody: their claim, not a fact."""
    THOUGHT = "thought"
    KNOWN = "known"
    """Known from the start."""


class Source(str, Enum):
    """Who decided."""

    MODEL = "model"
    POLICY = "policy"
    INSTINCT = "instinct"


class PerceptionKind(str, Enum):
    PERSON = "person"
    OBJECT = "object"
    SPEECH = "speech"
    EVENT = "event"
    PLACE = "place"


class OutcomeStatus(str, Enum):
    ARRIVED = "arrived"
    DONE = "done"
    FAILED = "failed"


class PlanLevel(str, Enum):
    DAY = "day"
    HOUR = "hour"
    STEP = "step"


class PlanStatus(str, Enum):
    AHEAD = "ahead"
    ACTIVE = "active"
    DONE = "done"
    FAILED = "failed"
    DROPPED = "dropped"


# ---- the memory stream


@dataclass(frozen=True)
class Memory:
    """One record of the memory stream. `id` counts from 1 within the NPC."""

    npc: NpcId
    id: int
    kind: MemoryKind
    text: str
    created: GameTime
    last_access: GameTime
    importance: int
    """1 (mundane) to 10 (life changing)."""
    subject: str = ""
    predicate: str = ""
    object: str = ""
    source: MemorySource = MemorySource.SEEN
    source_person: str = ""
    address: Address = ""
    evidence: tuple[int, ...] = ()
    """Ids of the memories of the same NPC that it rests on."""


@dataclass(frozen=True)
class ScoredMemory:
    """A retrieved memory; each part is normalised to [0, 1] over the candidates."""

    memory: Memory
    score: float
    recency: float
    importance: float
    relevance: float


# ---- plans and actions


@dataclass(frozen=True)
class PlanStep:
    """A stretch of a plan. `id` counts from 1 within the NPC; `parent` is 0 at the top."""

    npc: NpcId
    id: int
    level: PlanLevel
    parent: int
    start: GameTime
    end: GameTime
    text: str
    address: Address = ""
    status: PlanStatus = PlanStatus.AHEAD
    source: Source = Source.INSTINCT
    does: str = ""
    """What is done with the object there: the name of one of its actions, or empty."""
    sentence: str = ""
    emoji: str = ""
    """With these, a step is ready to be done: nothing is asked when it is due."""


@dataclass(frozen=True)
class PolicyStep:
    """One step of a plan that worked, ready to be done again."""

    minutes: int
    activity: str
    address: Address
    does: str
    sentence: str
    """With `{name}` where the first name stands, so that others can live by it."""
    emoji: str
    """Empty for a command of a household."""


@dataclass(frozen=True)
class Policy:
    """A Lifestyle Policy (AGA, section 3.1): steps that worked for an activity under a condition. One activity may have several."""

    owner: NpcId
    """Empty when it suits everybody."""
    activity: str
    minutes: int
    needs: tuple[tuple[Address, str], ...]
    """The condition: the objects it needs, each in this state (empty for any), sorted by address."""
    steps: tuple[PolicyStep, ...]
    worked: int = 0
    failed: int = 0
    usable: bool = True
    """False after it failed, until the same plan has worked again."""
    used: GameTime = 0
    """When it was last lived by."""
    failed_at: GameTime = -1
    """When it last failed; -1 for never. Who fails at the moment another succeeds has the last word."""


@dataclass(frozen=True)
class Living:
    """A plan that is being lived through, and becomes a Lifestyle Policy if all of it works."""

    plan: int
    """Id of the hour, or of the step that is a whole plan."""
    activity: str
    steps: tuple[int, ...]
    """Ids of its steps."""
    policy: str = ""
    """Key of the policy it is lived by; empty when the model planned it."""
    whole: bool = True
    """False when it takes a step out of a longer policy."""
    begun: tuple[tuple[int, PolicyStep], ...] = ()
    """What was really done for each step so far."""
    needs: tuple[tuple[Address, str], ...] = ()
    """The objects that were used, each in the state it was believed to be in before."""
    own_way: bool = False
    """Whether a step was done in another way than the policy says."""


@dataclass(frozen=True)
class Social:
    """What `npc` keeps of its relationship with `other`, an NPC id or a player's name: Social Memory (AGA, section 3.2)."""

    npc: NpcId
    other: str
    relation: str
    """What the other is to it: `friend`, `boss`."""
    feeling: str
    between: str
    """Running summary of what matters between them."""
    closeness: int
    """0 stranger, 3 acquaintance, 5 co-worker, 10 married (AGA's scale)."""
    upto: int
    """Id of the last memory that the summary has taken in; what is later is unseen."""
    at: GameTime
    """When it was last revised."""


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


# ---- what the game tells (each is an event of the `Play` stream)


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
class Outcome:
    npc: NpcId
    action_id: str
    status: OutcomeStatus
    reason: str = ""
    address: Address = ""


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
class GameActionResult:
    """Whether an action that an NPC chose in dialogue happened."""

    npc: NpcId
    call_id: str
    happened: bool
    reason: str = ""


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


# ---- what the mind tells


@dataclass(frozen=True)
class PathQuery:
    npc: NpcId
    query_id: str
    addresses: tuple[Address, ...]


@dataclass(frozen=True)
class Speech:
    npc: NpcId
    text: str
    at: GameTime
    to: tuple[str, ...] = ()
    partial: bool = False
    conversation: str = ""


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


@dataclass(frozen=True)
class GameAction:
    """An action of the game's own that an NPC chose in dialogue: `accept_quest`, with typed parameters."""

    npc: NpcId
    call_id: str
    name: str
    arguments: str
    """A JSON object."""


MindEvent = Action | PathQuery | Speech | Thought | GameAction | Notice | Settled


# ---- talk


@dataclass(frozen=True)
class Line:
    """Something said in a conversation. `speaker` is an NPC id or a player's name."""

    speaker: str
    text: str
    at: GameTime
    claims: tuple[str, ...] | None = None
    """What it tells as news, in the third person; None where that is not known (instinct knows what it passes on)."""


@dataclass(frozen=True)
class Talk:
    """A conversation so far: who takes part, where, and the lines in order."""

    id: str
    people: tuple[str, ...]
    place: Address
    started: GameTime
    lines: tuple[Line, ...] = ()


# ---- the ledger


class CallOutcome(str, Enum):
    USED = "used"
    RETRIED = "retried"
    INSTINCT = "instinct"
    """The reply was wrong twice, late, or the model failed: instinct decided."""
    CANCELLED = "cancelled"
    """It was not answered in time for its thought, or the thought it was for was dropped."""


@dataclass(frozen=True)
class ModelCall:
    """One question, as it stands in the save's ledger. Wall time in milliseconds; a question that no model was asked has no tokens."""

    npc: NpcId
    stage: str
    at: GameTime
    prompt_tokens: int
    cached_tokens: int
    """Of the prompt's, those taken from a kept sequence."""
    reply_tokens: int
    wall_ms: float
    outcome: CallOutcome
    reason: str = ""


@dataclass(frozen=True)
class Document:
    """A text file sent by value, because a game's files may lie inside its package. `name` is used in error messages."""

    name: str
    text: str
    path: str = ""
    """Where it lies on this machine; empty for a file inside a package, and for one out of a save."""


@dataclass(frozen=True)
class MindState:
    """What an NPC is doing, for looking into its mind."""

    npc: NpcId
    name: str
    identity: str
    action: Action | None
    address: Address
    asleep: bool
    now: GameTime
    memories: tuple[tuple[MemoryKind, int], ...]
    model_answers: int
    instinct_answers: int
    known: tuple[Address, ...]
    policy_answers: int = 0
    """Questions that a Lifestyle Policy answered."""


@dataclass(frozen=True)
class SaveInfo:
    """One slot, as a player chooses among them."""

    slot: str
    town: str
    now: GameTime
    saved_at: int
    """Wall time of the last save, Unix seconds."""
    people: tuple[str, ...] = ()
    size: int = 0
    """Bytes."""
    memories: int = 0
    problem: str = ""
    recoverable: bool = False
    game: str = ""
    """Id of the game it belongs to; empty where the game gave none."""
    town_id: str = ""
    """Address of the world's root; empty while there is none."""
    warnings: tuple[str, ...] = field(default=())
