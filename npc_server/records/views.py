"""What the outside sees: the state of a mind, a save, a game's file, and a question in the ledger."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from npc_server.records.actions import Action
from npc_server.records.basics import Address, GameTime, NpcId
from npc_server.records.memory import MemoryKind
from npc_server.records.needs import Mood, Needs
from npc_server.records.plan import PlanOrigin


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


class AnsweredBy(str, Enum):
    """Who answered a question, or said a line."""

    MODEL = "model"
    MEMORY = "memory"
    """What the NPC remembers, without the model's words."""
    BANK = "bank"
    """The bank of written exchanges."""
    POLICY = "policy"
    INSTINCT = "instinct"


@dataclass(frozen=True)
class AskedQuestion:
    """One question of a mind as it was asked and answered. The latest are kept while the server runs, and no save holds them."""

    id: int
    """Counts from 1 in each epoch."""
    call: ModelCall
    by: AnsweredBy
    system: str = ""
    """The part of the prompt that stays the same. Empty if no model was asked."""
    user: str = ""
    """The question, and before it the chat if there is one. For a line that no model said: the line that it answers."""
    reply: str = ""


@dataclass(frozen=True)
class MindGlance:
    """What one NPC does and why, in short, so that many can be shown at once."""

    npc: NpcId
    name: str
    action: Action | None
    address: Address
    asleep: bool
    needs: Needs
    mood: Mood
    memories: int
    latest_memory: int
    """The id of the newest memory; 0 if there is none."""
    latest_question: int
    """The id of the newest question that is kept; 0 if there is none."""
    why: tuple[str, ...] = ()
    """The plan behind the action: its step, then what that is part of, up to the broad stroke of the day. Empty if no plan is."""
    origin: PlanOrigin | None = None
    """How that step came into the plan; None if no plan is behind the action."""
