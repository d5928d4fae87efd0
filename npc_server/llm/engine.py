"""The engine: what a mind may ask of a language model, and nothing about how it is run.

`llama.LlamaEngine` (through `worker`) runs a GGUF file in a process of its own; `scripted.ScriptedEngine` answers
from a list, for tests; `absent.AbsentEngine` has no model and says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from npc_server.llm.reply import ReplyType

Vectors = NDArray[np.float32]
OnText = Callable[[str], None]


class Priority(IntEnum):
    """Who gets the model first; lower goes first."""

    PLAYER = 0
    """A player waits for the words."""
    NEAR = 1
    """An NPC near a player, or in talk."""
    USUAL = 2
    IDLE = 3
    """May wait: reflections, summaries."""


@dataclass(frozen=True)
class Request:
    """One question.

    `system` is what stays the same between questions of one NPC, so that its computed state is shared; `user` is the question.
    """

    system: str
    user: str
    reply: ReplyType[Any]
    seed: int
    npc: str = ""
    stage: str = ""
    max_tokens: int = 256
    temperature: float | None = None
    """None takes the engine's setting."""
    priority: Priority = Priority.USUAL
    deadline_s: float | None = None
    """Wall seconds; None takes the engine's setting."""
    suggestion: str = ""
    """What instinct would answer, as the reply's text. Only for an engine that `stands_in`."""
    free: bool = False
    """Without the reply's grammar, to measure what a model does of itself."""


@dataclass(frozen=True)
class Completion:
    """An answer as text that follows `Request.reply`'s grammar, with what it cost."""

    text: str
    prompt_tokens: int
    cached_tokens: int
    reply_tokens: int
    wall_ms: float
    truncated: bool = False
    """True when `max_tokens` ended it."""


@dataclass(frozen=True)
class EngineStatus:
    """`ready` when answers come; `model` is empty when there is none; `problem` says why and what to do."""

    ready: bool
    model: str = ""
    context_tokens: int = 0
    """Most that a prompt and its reply may have together: what the model was trained on, or the pool where that is smaller."""
    restarts: int = 0
    running: int = 0
    waiting: int = 0
    problem: str = ""
    weak_at: frozenset[str] = frozenset()
    """Questions that the model's file says it should not be asked."""
    memories_shown: int = 0
    """How many memories a prompt should show this model at most, as its file says; 0 for as many as the settings say."""
    places_shown: int = 0
    """Likewise, of the places among which an action is chosen."""
    drafts: bool = False
    """Whether prompts should show this model what instinct would answer, as its file says: a small one mends better than it makes."""
    stands_in: bool = False
    """It has no model and answers what instinct suggests, to measure what is asked (`evaluation/stand_in.py`)."""


class Engine(Protocol):
    """Asked from one event loop. Every method may be cancelled; a cancelled request frees its sequence."""

    async def complete(self, request: Request, on_text: OnText | None = None) -> Completion:
        """The answer. `on_text` gets whole characters as they come. Raises EngineError."""
        ...

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text in the model's vocabulary; an estimate (4 characters a token) without a model."""
        ...

    def status(self) -> EngineStatus: ...

    def try_again(self) -> None:
        """Starts a model again that was given up because it died too often; else does nothing."""
        ...

    async def close(self) -> None: ...


class Embedder(Protocol):
    """Turns sentences into unit vectors."""

    @property
    def name(self) -> str:
        """Names model and dimension; vectors of different names must not be compared."""
        ...

    @property
    def dimensions(self) -> int: ...

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), dimensions), each row of length 1."""
        ...

    def try_again(self) -> None:
        """Starts a model again that was given up because it died too often; else does nothing."""
        ...

    async def close(self) -> None: ...
