"""What the batcher works on: requests, and the sequences of the context in which their replies grow."""

from __future__ import annotations

import codecs
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from npc_server.llm.engine import Priority
from npc_server.llm.sampling import Chooser

Tokens = NDArray[np.int32]
FIRST_WORD_TOKENS = 8
"""Of a reply: the label of its line, such as `say: `, and a word."""


@dataclass(frozen=True)
class Job:
    """A request as the batcher sees it. `system_tokens` is the length of the part that other questions of the NPC share."""

    id: int
    tokens: Tokens
    system_tokens: int
    max_tokens: int
    priority: int
    chooser: Callable[[], Chooser]
    """Made when the job is let in."""


@dataclass(eq=False)
class ContextSequence:
    """A job that waits or runs, or a kept prompt (`job` is None then)."""

    tokens: Tokens
    """The prompt, and what comes after it as far as it is in the context, or was before the job was put off."""
    system_tokens: int
    arrival: int
    job: Job | None = None
    id: int = -1
    """In the context; -1 while it waits."""
    chooser: Chooser | None = None
    computed: int = 0
    pending: list[int] = field(default_factory=list)
    """Tokens of the reply that are chosen and not yet decoded."""
    replied: int = 0
    reserved: int = 0
    """Cells it may still take."""
    cached: int = 0
    turn: int = 0
    """The latest in which it got on."""
    spoken: int = -1
    """The arrival of the latest player's line that began with this prompt's system text; -1 where nobody talked with this one."""
    decoder: codecs.IncrementalDecoder = field(default_factory=lambda: codecs.getincrementaldecoder("utf-8")("replace"))
    text: list[str] = field(default_factory=list)

    @property
    def prefilling(self) -> bool:
        return self.computed < len(self.tokens)

    @property
    def of_player(self) -> bool:
        """Whether a player waits for it."""
        return self.job is not None and self.job.priority == Priority.PLAYER

    @property
    def silent(self) -> bool:
        """Whether nobody has read a word of it yet."""
        return self.replied < FIRST_WORD_TOKENS

    @property
    def urgency(self) -> tuple[int, int]:
        """Lower goes first."""
        return (self.job.priority if self.job else 99, self.arrival)

    def put_off(self) -> None:
        """It lost its place in the context: what it has said so far is read again with its prompt, and then it goes on."""
        self.tokens = np.concatenate([self.tokens, np.array(self.pending, np.int32)])
        self.id, self.computed, self.reserved, self.pending = -1, 0, 0, []


def waiting(job: Job, arrival: int) -> ContextSequence:
    made = ContextSequence(job.tokens, job.system_tokens, arrival, job)
    made.spoken = arrival if made.of_player else -1
    return made
