"""The Engine protocol: what a mind may ask of a language model, and nothing about how the model runs.

`worker.LlamaEngine` runs a GGUF file in a process of its own. `scripted.ScriptedEngine` answers from a list, for tests.
`absent.NoModelEngine` has no model, and says why. `Embedder` is the protocol for embedding models.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from npc_server.llm.deadline import Deadline
from npc_server.llm.reply import ReplyType
from npc_server.llm.speed import Speed
from npc_server.records import GameTime, Turn

Vectors = NDArray[np.float32]
Scores = NDArray[np.float32]
"""Shape (texts, dimensions), or (dimensions,) for one text."""
OnText = Callable[[str], None]
"""Gets each piece of a reply's text when it is written."""


class Priority(IntEnum):
    """Which request gets the model first: the lowest number."""

    PLAYER = 0
    """A player waits for the reply."""
    NEAR = 1
    """The NPC is near a player, or in a conversation."""
    USUAL = 2
    IDLE = 3
    """The reply may come late: reflections, summaries."""


@dataclass(frozen=True)
class Request:
    """One question.

    `system` is the text that stays the same between the questions for one NPC, so that they share its KV cache. `user` is the question.
    """

    system: str
    user: str
    reply: ReplyType[Any]
    seed: int
    npc: str = ""
    stage: str = ""
    max_tokens: int = 256
    temperature: float | None = None
    """None means the engine's setting."""
    priority: Priority = Priority.USUAL
    deadline_s: float | None = None
    """Wall seconds. None means the engine's setting."""
    first_word_by: Deadline | None = None
    """Whoever asks gives up if no word can be said by then."""
    suggestion: str = ""
    """What instinct would answer, as the reply's text. Only engines whose status says `stands_in` use it."""
    free: bool = False
    """Whether the reply needs not follow the grammar: the spoken lines of a chat, and to measure how well a model does without one."""
    turns: tuple[Turn, ...] = ()
    """The chat between `system` and `user`, oldest turn first. What was read or written of it once is not computed again."""
    one_line: bool = False
    """Whether the reply ends before its first line break."""
    lasting_turns: int = -1
    """So many first turns stand in every talk of the NPC. The model's state after them is kept on disk. -1 keeps nothing."""
    only_reads: bool = False
    """Whether nothing is written: the model reads what lasts, unless it is on disk."""
    repeat_penalty: float = 1.0
    """Divides the weight of tokens that were read or written just before (Keskar et al. 2019, section 4.1). 1 changes nothing."""
    at: GameTime | None = None
    """The game time of the question. Recordings keep it."""
    wrong: Callable[[str], str] | None = None
    """Says what is wrong with a reply, or nothing. An engine whose answers are written by hand asks again at once where something is."""

    @property
    def asked(self) -> str:
        """The chat and the question as one text: what a recording keeps, and what somebody reads who answers by hand."""
        return "\n".join([*(f"{turn.heard}\n> {turn.said}" for turn in self.turns), self.user])


@dataclass(frozen=True)
class Completion:
    """A reply that follows the grammar of `Request.reply`, and what it cost."""

    text: str
    prompt_tokens: int
    cached_tokens: int
    """How many tokens of the prompt were in the KV cache already."""
    reply_tokens: int
    wall_ms: float
    truncated: bool = False
    """Whether `max_tokens` ended it."""


@dataclass(frozen=True)
class Likelihood:
    """How likely a model is to write a text."""

    logprob: float
    """Natural logarithm of its probability, summed over its tokens."""
    tokens: int
    read_tokens: int = 0
    """Tokens that the model had to read for it: those of the prompt, of what was given and of the text that were not in the KV cache."""

    @property
    def mean(self) -> float:
        """Mean log probability of a token. 0 for a text without tokens."""
        return self.logprob / max(self.tokens, 1)


@dataclass(frozen=True)
class EngineStatus:
    """The state of an engine. `ready` says that it answers. `model` is empty without a model; `problem` then says why and what to do."""

    ready: bool
    model: str = ""
    context_tokens: int = 0
    """The most tokens of a prompt with its reply: the context that the model was trained on, or that of the settings if it is smaller."""
    restarts: int = 0
    """How often the model process was started again."""
    running: int = 0
    """Requests that the model answers now."""
    waiting: int = 0
    """Requests that wait for the model."""
    problem: str = ""
    choice: str = ""
    """Which model was chosen and why, as a sentence, where the settings leave that to the server; also why there is none."""
    caveat: str = ""
    """What makes the model a bad choice although it answers, as a sentence."""
    kinds: tuple[str, ...] = ()
    """The kinds of question that are asked, where that is not all of them (`llm.fitting_kinds`)."""
    kinds_left: tuple[str, ...] = ()
    """The other kinds. Instinct answers these."""
    weak_at: frozenset[str] = frozenset()
    """The prompts, and the kinds of question, that the model should not be asked, as its file or its size says."""
    memories_shown: int = 0
    """The most memories that a prompt should show this model, as its file says. 0 means as many as the settings say."""
    places_shown: int = 0
    """The most places from which this model should choose one for an action, as its file says. 0 means no limit from the file."""
    stands_in: bool = False
    """Whether it has no model, and answers what instinct suggests to measure the questions (`npc_eval/stand_in.py`)."""
    first_word_s: float = math.inf
    """Wall seconds that a player waits for the first word of a line."""
    own_lines: float = 0.7
    """How likely a judge would call a line of its own fine, 0 to 1: measured for models of the catalogue, else by the model's size."""
    chats: bool = False
    """Whether a talk with it is a chat (`lines.chat`), as with every model. Who answers by hand, or from a recording or a script, is asked
    for each line with one question instead."""
    scores: bool = False
    """Whether `Engine.score` can say how likely texts are."""
    keeps_states: bool = False
    """Whether what lasts of an NPC's talks is kept on disk (`Request.lasting_turns`)."""
    speed: Speed | None = None
    """How fast the model is on this machine. None where nobody measured it: elsewhere, or before its first start has ended."""

    @property
    def told(self) -> str:
        """What somebody who plays should know of the model: choice, caveat, and what it is asked. Empty where there is nothing to say."""
        asked = f"It is asked for {listed(self.kinds)}. Instinct does {listed(self.kinds_left)}."
        return " ".join(text for text in (self.choice, self.caveat, asked if self.kinds_left and self.ready else "") if text)


def listed(names: Sequence[str]) -> str:
    """Return names as in a sentence: `a, b and c`."""
    *first, last = names or ("nothing",)
    return f"{', '.join(first)} and {last}" if first else last


class Engine(Protocol):
    """Answers requests. All calls come from one event loop. Each may be cancelled, and a cancelled request frees its sequence."""

    async def complete(self, request: Request, on_text: OnText | None = None) -> Completion:
        """Answers a request. `on_text` gets the text while it is written, in whole characters. Raises EngineError."""
        ...

    async def score(self, request: Request, given: str, texts: Sequence[str]) -> list[Likelihood]:
        """Says how likely each text is, after the prompt of `request` and a reply that begins with `given`. Raises EngineError.

        All texts share the prompt in the KV cache, also with `complete`. The end of the reply is not scored. Temperature, grammar and
        `max_tokens` do not count. Spaces at the end of `given` are scored with the text. Without `EngineStatus.scores` it always raises.
        """
        ...

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Counts the tokens of each text in the model's vocabulary. Without a model it estimates 4 characters a token."""
        ...

    def status(self) -> EngineStatus: ...

    def try_again(self) -> None:
        """Starts a model again that was given up because it died too often. Otherwise it does nothing."""
        ...

    async def close(self) -> None: ...


@dataclass(frozen=True)
class LineInTalk:
    """A line that is to be answered, with what decides how well something answers it."""

    text: str
    who: str = ""
    """Who answers: `You are Mara Voss. She runs the café.`"""
    before: tuple[tuple[bool, str], ...] = ()
    """The lines before it, and whether each is of the one who answers."""

    def alone(self) -> LineInTalk:
        """The line without those before it. So the asker's own words are no repetition, but an answer."""
        return replace(self, before=())


class Embedder(Protocol):
    """Turns sentences into unit vectors."""

    @property
    def name(self) -> str:
        """The name of the model and its dimension. Vectors of embedders with different names must not be compared."""
        ...

    @property
    def dimensions(self) -> int: ...

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Returns shape (len(texts), dimensions), with rows of length 1. Raises EngineError."""
        ...

    async def answers(self, line: str, texts: Sequence[str]) -> Scores | None:
        """How well each of the texts answers a line: the log odds that it does, shape (len(texts),).

        None where nothing can tell that, as with hashed words. Raises EngineError.
        """
        ...

    async def rerank(self, heard: LineInTalk, texts: Sequence[str]) -> Scores | None:
        """The same as npc-rerank says, which sees the talk and takes longer: for the best of `answers`, where a player waits.

        None where there is no npc-rerank.
        """
        ...

    def read_ahead(self, heard: LineInTalk) -> None:
        """Begins to read a line, or what was said before it, so that `rerank` takes less time."""
        ...

    def try_again(self) -> None:
        """Starts a model again that was given up because it died too often. Otherwise it does nothing."""
        ...

    async def close(self) -> None: ...


class ReadsNoAnswers:
    """The part of `Embedder` where nothing can tell how well texts answer a line."""

    async def answers(self, line: str, texts: Sequence[str]) -> Scores | None:
        return None

    async def rerank(self, heard: LineInTalk, texts: Sequence[str]) -> Scores | None:
        return None

    def read_ahead(self, heard: LineInTalk) -> None:
        pass
