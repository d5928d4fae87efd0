"""What the outside sees: the state of a mind, a save, a game's file, and a question in the ledger."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from npc_server.records.actions import Action
from npc_server.records.basics import Address, GameTime, NpcId
from npc_server.records.memory import MemoryKind
from npc_server.records.needs import Mood, Needs


@dataclass(frozen=True)
class MindState:
    """What an NPC is doing and knows, for `GetMind`."""

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
    needs: Needs = field(default_factory=Needs)
    mood: Mood = field(default_factory=Mood)
    """As it is at `now`."""
    chosen_answers: int = 0
    """Lines to players that a model which reads has chosen."""


@dataclass(frozen=True)
class SaveInfo:
    """A slot, as players see it in a list."""

    slot: str
    town: str
    now: GameTime
    saved_at: int
    """Wall time of the last save, in Unix seconds."""
    people: tuple[str, ...] = ()
    size: int = 0
    """Bytes."""
    memories: int = 0
    problem: str = ""
    recoverable: bool = False
    game: str = ""
    """Id of the game that owns it; empty where the game gave none."""
    town_id: str = ""
    """Address of the world's root; empty while there is none."""
    warnings: tuple[str, ...] = field(default=())


@dataclass(frozen=True)
class Document:
    """A text file sent by value, because a game's files may lie inside its package. Error messages use `name`."""

    name: str
    text: str
    path: str = ""
    """Where the file lies on this machine; empty for a file inside a package or out of a save."""


class CallOutcome(str, Enum):
    USED = "used"
    RETRIED = "retried"
    INSTINCT = "instinct"
    """Instinct decided: the reply was wrong twice or late, or the model failed."""
    CANCELLED = "cancelled"
    """The answer came too late for its thought, or its thought was dropped."""


@dataclass(frozen=True)
class ModelCall:
    """One question in the ledger of a save. Wall time is in milliseconds; a question that reached no model has no tokens."""

    npc: NpcId
    stage: str
    at: GameTime
    prompt_tokens: int
    cached_tokens: int
    """Those of the prompt that were in the KV cache."""
    reply_tokens: int
    wall_ms: float
    outcome: CallOutcome
    reason: str = ""
