"""The memory stream, and what one keeps of others."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from npc_server.records.basics import Address, GameTime, NpcId


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


class MemoryTopic(str, Enum):
    """What a memory is of, where the mind wrote its sentence itself: who makes it says so, and rules go by this and not by the words."""

    OTHER = "other"
    """What its words say."""
    SAID = "said"
    """What somebody said, with the words."""
    ASKED = "asked"
    ANSWERED = "answered"
    TALKED = "talked"
    """A talk, and what came up in it."""
    SMALL_TALK = "small_talk"
    MET = "met"
    """That one met somebody, and nothing of what was said."""
    PLAN = "plan"
    FAILED = "failed"
    """What one could not do."""
    CALLED = "called"
    """What the game did on one's word."""


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
    topic: MemoryTopic = MemoryTopic.OTHER


@dataclass(frozen=True)
class ScoredMemory:
    """A retrieved memory; each part is normalised to [0, 1] over the candidates."""

    memory: Memory
    score: float
    recency: float
    importance: float
    relevance: float


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
