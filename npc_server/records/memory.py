"""Memories and their kinds, sources and topics; scored memories; Social Memory."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from npc_server.records.basics import Address, GameTime, NpcId


class MemoryKind(str, Enum):
    """What kind of record a memory is (Generative Agents, section 4.1)."""

    OBSERVATION = "observation"
    PLAN = "plan"
    REFLECTION = "reflection"
    CONVERSATION = "conversation"
    SEED = "seed"
    """A fact of the persona's identity."""
    INTENTION = "intention"
    """Taken as an intention from the inner voice."""


class MemorySource(str, Enum):
    """How an NPC came to know something. `Memory.source_person` says from whom."""

    SEEN = "seen"
    HEARD = "heard"
    """Overheard."""
    TOLD = "told"
    """Told by somebody. It is their claim, not a fact."""
    THOUGHT = "thought"
    KNOWN = "known"
    """Known from the start, or given by the game."""


class MemoryTopic(str, Enum):
    """What a memory is about, where the server wrote its sentence. Rules read this code and not the words."""

    OTHER = "other"
    """Only the words say it."""
    SAID = "said"
    """A line that somebody said, with its words."""
    ASKED = "asked"
    ANSWERED = "answered"
    TALKED = "talked"
    """A talk, and what came up in it."""
    SMALL_TALK = "small_talk"
    MET = "met"
    """A meeting, without what was said."""
    SIGHT = "sight"
    """Where somebody is or goes, or with whom they talk: what anybody sees in passing."""
    PLAN = "plan"
    FAILED = "failed"
    """Something that the NPC could not do."""
    CALLED = "called"
    """What the game did because the NPC chose it in dialogue."""
    OWN_DEEDS = "own_deeds"
    """What the NPC did in an hour: when, where and how it ended."""
    PLAYER_DID = "player_did"
    """What a player did, as the game reported it."""
    APPOINTMENT = "appointment"
    """An own promise with day and hour, which stands in the plan as an appointment."""


@dataclass(frozen=True)
class Memory:
    """One record of the memory stream. `id` counts from 1 for each NPC."""

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
    """Ids of the memories of the same NPC that it is concluded from."""
    topic: MemoryTopic = MemoryTopic.OTHER
    key: str = ""
    """The name under which the game added it; empty for a memory that the mind made."""
    doubt: str = ""
    """Why it no longer comes to mind: a memory that it was concluded from was edited or deleted. Empty if it is sound."""


class MemoryChangeKind(str, Enum):
    ADDED = "added"
    EDITED = "edited"
    DELETED = "deleted"


@dataclass(frozen=True)
class MemoryChange:
    """A memory that was added, edited or deleted from outside the mind."""

    npc: NpcId
    memory: int
    kind: MemoryChangeKind
    at: GameTime
    by: str
    """Who did it: `game`, `modder`, or what the call said."""
    former_text: str = ""
    """The text before an edit, or of what was deleted."""
    former_importance: int = 0


@dataclass(frozen=True)
class ScoredMemory:
    """A retrieved memory. Each part of the score is normalized to [0, 1] over the candidates."""

    memory: Memory
    score: float
    recency: float
    importance: float
    relevance: float


@dataclass(frozen=True)
class Social:
    """Social Memory (AGA, section 3.2): what `npc` keeps of its relationship with `other`, an NPC id or a player's name."""

    npc: NpcId
    other: str
    relation: str
    """What the other is to the NPC: `friend`, `boss`."""
    feeling: str
    between: str
    """Running summary of the events that matter between the two."""
    closeness: int
    """0 stranger, 3 acquaintance, 5 co-worker, 10 married (AGA's scale)."""
    upto: int
    """Id of the last memory that the summary includes. Later ones are unseen."""
    at: GameTime
    """When it was last revised."""
