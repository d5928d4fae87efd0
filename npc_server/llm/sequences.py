"""What the batcher works on: jobs, which are requests in tokens, and the sequences of the context in which their replies grow."""

from __future__ import annotations

import codecs
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from npc_server.llm.engine import Priority

if TYPE_CHECKING:  # It needs llguidance, which comes with the compiled llama.cpp only.
    from npc_server.llm.sampling import Chooser

Tokens = NDArray[np.int32]


def common_prefix(one: Tokens, other: Tokens) -> int:
    """Return how many tokens two prompts have in common at their beginning."""
    length = min(len(one), len(other))
    differ = np.flatnonzero(one[:length] != other[:length])
    return int(differ[0]) if differ.size else length


FIRST_WORD_TOKENS = 8
"""A player sees the first word of a reply after so many tokens: a label such as `say: `, and a word."""


@dataclass(frozen=True)
class Job:
    """A request as the batcher sees it."""

    id: int
    tokens: Tokens
    """The prompt, shape (tokens,)."""
    system_tokens: int
    """How many tokens of it are the system text, which other requests for the same NPC share."""
    max_tokens: int
    """The most tokens that the reply may have."""
    priority: int
    """An `engine.Priority`."""
    chooser: Callable[[], Chooser | None]
    """Makes the chooser of the reply's tokens. It is called when the job starts. A job with a given reply has none."""
    written: Tokens = field(default_factory=lambda: np.empty(0, np.int32))
    """The tokens of a given reply, shape (tokens,). The job then writes nothing."""
    scored: int = 0
    """How many of the last tokens of `written` are scored."""
    is_chat: bool = False
    """Whether the reply is a line of a talk: it stands in the next prompt, and so stays in the KV cache with this one."""
    one_line: bool = False
    """Whether the reply ends before its first line break."""
    lasting: int = 0
    """How many first tokens of the prompt every talk of the NPC begins with. The state after them is kept on disk."""

    @property
    def given(self) -> Tokens:
        """The prompt and the given reply, shape (tokens,)."""
        return np.concatenate([self.tokens, self.written])


@dataclass(eq=False)
class ContextSequence:
    """A job that waits or runs, or a kept prompt, which has no `job`."""

    tokens: Tokens
    """The prompt, and what was decoded of the reply. After a preemption it also has the reply's chosen tokens. Shape (tokens,).

    A given reply is there from the beginning, without its last token.
    """
    system_tokens: int
    arrival: int
    """A number that counts jobs in the order in which they arrive."""
    job: Job | None = None
    id: int = -1
    """Its number in the context; -1 while it waits."""
    chooser: Chooser | None = None
    computed: int = 0
    """How many of its `tokens` are in the KV cache."""
    pending: list[int] = field(default_factory=list)
    """Tokens of the reply that are chosen and not yet decoded."""
    replied: int = 0
    """How many tokens of the reply are chosen."""
    reserved: int = 0
    """How many more cells it may take."""
    cached: int = 0
    """How many tokens of its prompt were copied from another when it first started."""
    turn: int = 0
    """The last turn in which some of its tokens were decoded."""
    last_player_line: int = -1
    """The `arrival` of the last request for a player with the same system text; -1 when there was none."""
    is_kept: bool = False
    """Whether what lasts of its prompt is on disk."""
    decoder: codecs.IncrementalDecoder = field(default_factory=lambda: codecs.getincrementaldecoder("utf-8")("replace"))
    text: list[str] = field(default_factory=list)
    logprob: float = 0.0
    """Sum of the log probabilities of the given tokens scored so far."""

    @property
    def scores(self) -> bool:
        """Whether its reply is given, and only scored."""
        return self.job is not None and self.job.scored > 0

    @property
    def unshared(self) -> int:
        """Where the first of its tokens is whose logits are needed. That one is decoded even if another sequence has it."""
        return len(self.tokens) - (self.job.scored if self.job is not None and self.job.scored else 1)

    @property
    def prefilling(self) -> bool:
        """Whether a part of the prompt is still to be decoded."""
        return self.computed < len(self.tokens)

    @property
    def of_player(self) -> bool:
        """Whether a player waits for the reply."""
        return self.job is not None and self.job.priority == Priority.PLAYER

    @property
    def silent(self) -> bool:
        """Whether the reply has no whole word yet."""
        return self.replied < FIRST_WORD_TOKENS

    @property
    def urgency(self) -> tuple[int, int]:
        """Sorts jobs: the lowest goes first."""
        return (self.job.priority if self.job else 99, self.arrival)

    def preempt(self) -> None:
        """Gives up its sequence. When it starts again, its prompt and the reply so far are computed once more, and the reply goes on."""
        self.tokens = np.concatenate([self.tokens, np.array(self.pending, np.int32)])
        self.id, self.computed, self.reserved, self.pending = -1, 0, 0, []
        self.logprob = 0.0


def waiting(job: Job, arrival: int) -> ContextSequence:
    """Makes the sequence of a job that waits to start."""
    # Nothing follows the last token of a given reply, so its logits are not needed.
    made = ContextSequence(job.given[:-1] if job.scored else job.tokens, job.system_tokens, arrival, job)
    made.last_player_line = arrival if made.of_player else -1
    return made
