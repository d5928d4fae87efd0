"""What is looked at from outside: a mind, a save, its ledger, and the files it was made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from npc_server.records.actions import Action
from npc_server.records.basics import Address, GameTime, NpcId
from npc_server.records.memory import MemoryKind


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


@dataclass(frozen=True)
class Document:
    """A text file sent by value, because a game's files may lie inside its package. `name` is used in error messages."""

    name: str
    text: str
    path: str = ""
    """Where it lies on this machine; empty for a file inside a package, and for one out of a save."""


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
