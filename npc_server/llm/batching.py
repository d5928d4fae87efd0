"""Continuous batching: many replies grow together in one context, and prompts share what they have in common.

The context is one pool of cells. A cell holds one computed token and may belong to several sequences; `CellBook` keeps the same
account as llama.cpp does, so a request is let in only when its prompt and its longest reply fit, and no decode ever fails for
want of room. A finished prompt is kept while nobody needs its cells. See docs/models.md.
"""

from __future__ import annotations

import codecs
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from npc_server.errors import EngineError, PromptTooLong
from npc_server.llm.kv_cache import KvCells, common_prefix
from npc_server.llm.llama import Row
from npc_server.llm.sampling import Chooser, Logits

Tokens = NDArray[np.int32]
WORTH_SHARING = 16
"""Tokens; a shorter common prefix is not worth waiting for."""


class ContextMemory(Protocol):
    """What the batcher needs of a context (`llama.LlamaContext`)."""

    cells: int

    def decode(self, rows: Sequence[Row]) -> bool: ...
    def logits(self, row: int) -> Logits: ...
    def copy(self, source: int, target: int, end: int) -> None: ...
    def cut(self, sequence: int, start: int = 0) -> None: ...


@dataclass(frozen=True)
class Job:
    """A request as the batcher sees it. `system_tokens` is the length of the part that other questions of the NPC share."""

    id: int
    tokens: Tokens
    system_tokens: int
    max_tokens: int
    priority: int
    chooser: Callable[[], Chooser]
    """Made when the job is let in; a job that must start again gets a fresh one."""


@dataclass
class Sequence_:
    """A running job, or a kept prompt (`job` is None then)."""

    id: int
    tokens: Tokens
    """The prompt, and what comes after it as far as it is in the context."""
    system_tokens: int
    job: Job | None = None
    chooser: Chooser | None = None
    computed: int = 0
    pending: list[int] = field(default_factory=list)
    """Tokens of the reply that are chosen and not yet decoded."""
    replied: int = 0
    reserved: int = 0
    """Cells it may still take."""
    cached: int = 0
    started: int = 0
    decoder: codecs.IncrementalDecoder = field(default_factory=lambda: codecs.getincrementaldecoder("utf-8")("replace"))
    text: list[str] = field(default_factory=list)

    @property
    def prefilling(self) -> bool:
        return self.computed < len(self.tokens)


@dataclass(frozen=True)
class FinishedReply:
    id: int
    text: str
    prompt_tokens: int
    cached_tokens: int
    reply_tokens: int
    truncated: bool


@dataclass
class Step:
    """What one turn of the batcher brought about."""

    started: list[int] = field(default_factory=list)
    text: list[tuple[int, str]] = field(default_factory=list)
    done: list[FinishedReply] = field(default_factory=list)
    failed: list[tuple[int, EngineError]] = field(default_factory=list)
    decoded: int = 0


class Batcher:
    """Owns the sequences of one context. `turn` does one decode."""

    def __init__(
        self,
        memory: ContextMemory,
        piece: Callable[[int], bytes],
        *,
        batch_tokens: int,
        max_parallel: int,
        kept_prefixes: int,
        share: bool = True,
    ) -> None:
        self.memory, self.piece = memory, piece
        self.batch_tokens, self.max_parallel, self.share = batch_tokens, max_parallel, share
        self.kept_limit = kept_prefixes if share else 0
        self.book = KvCells(memory.cells, max_parallel + kept_prefixes)
        self.free = list(range(max_parallel + kept_prefixes))[::-1]
        self.running: list[Sequence_] = []
        self.kept: list[Sequence_] = []  # least lately used first
        self.queue: list[tuple[int, int, Job]] = []
        self.arrivals = itertools.count()

    # ---- asking

    def add(self, job: Job) -> None:
        """Queues a job. Raises PromptTooLong, and then nothing has been decoded."""
        need = len(job.tokens) + job.max_tokens
        if need > self.memory.cells or len(job.tokens) == 0:
            raise PromptTooLong(
                f"The prompt has {len(job.tokens)} tokens and the reply may have {job.max_tokens}; the context holds {self.memory.cells}.",
                "Shorten the prompt, or raise engine.context_tokens.",
                prompt_tokens=len(job.tokens),
                context_tokens=self.memory.cells,
            )
        self.queue.append((job.priority, next(self.arrivals), job))
        self.queue.sort(key=lambda item: item[:2])

    def cancel(self, job_id: int) -> bool:
        """Forgets a job, and frees its sequence when it is running."""
        self.queue = [item for item in self.queue if item[2].id != job_id]
        for sequence in self.running:
            if sequence.job is not None and sequence.job.id == job_id:
                self._retire(sequence, keep=sequence.computed >= WORTH_SHARING)
                return True
        return False

    @property
    def idle(self) -> bool:
        return not self.queue and not self.running

    # ---- one turn

    def turn(self) -> Step:
        step = Step()
        self._let_in(step)
        rows, sampled = self._batch()
        if not rows:
            return step
        while not self.memory.decode(rows):
            # The book says this cannot be. Should it be, room is made: first what is only kept, then the latest to come in.
            if self.kept:
                self._drop_kept()
            elif not self._send_back():
                raise RuntimeError("the context has no room for a batch although nothing is in it")
            rows, sampled = self._batch()
        step.decoded = len(rows)
        for sequence, count, _ in sampled:
            self.book.compute(sequence.id, count)
        for sequence, count, row_of_logits in sampled:
            self._advance(sequence, count, row_of_logits, step)
        return step

    def _advance(self, sequence: Sequence_, count: int, row_of_logits: int | None, step: Step) -> None:
        sequence.reserved = max(sequence.reserved - count, 0)
        replying = not sequence.prefilling
        sequence.computed += count
        if replying:
            sequence.tokens = np.concatenate([sequence.tokens, np.array(sequence.pending[:count], np.int32)])
            del sequence.pending[:count]
        if row_of_logits is None or sequence.job is None or sequence.chooser is None:
            return
        try:
            tokens, over = sequence.chooser.choose(self.memory.logits(row_of_logits))
        except EngineError as error:
            step.failed.append((sequence.job.id, error))
            self._retire(sequence)
            return
        room = sequence.job.max_tokens - sequence.replied
        truncated = len(tokens) > room or (len(tokens) == room and not over)
        tokens = tokens[:room]
        over = over or truncated
        sequence.replied += len(tokens)
        sequence.pending += tokens
        # A character that `max_tokens` cut in two is left out.
        text = sequence.decoder.decode(b"".join(self.piece(token) for token in tokens))
        if text:
            sequence.text.append(text)
            step.text.append((sequence.job.id, text))
        if over:
            prompt = len(sequence.job.tokens)
            step.done.append(FinishedReply(sequence.job.id, "".join(sequence.text), prompt, sequence.cached, sequence.replied, truncated))
            self._retire(sequence)

    def _batch(self) -> tuple[list[Row], list[tuple[Sequence_, int, int | None]]]:
        """The rows of the next decode: every reply's next tokens first, then as much of the prompts as has room."""
        rows: list[Row] = []
        parts: list[tuple[Sequence_, int, int | None]] = []

        def put(sequence: Sequence_, tokens: Sequence[int], last: bool) -> None:
            for offset, token in enumerate(tokens):
                at = sequence.computed + offset
                rows.append(Row(int(token), at, sequence.id, last and offset == len(tokens) - 1))
            parts.append((sequence, len(tokens), len(rows) - 1 if last else None))

        replies = [s for s in self.running if not s.prefilling]
        for sequence in replies:
            room = self.batch_tokens - len(rows) - (len(replies) - len(parts) - 1)  # leaves a row to each reply after it
            now = sequence.pending[:room]
            put(sequence, now, len(now) == len(sequence.pending))
        # A long prompt takes a share of each turn, so that nobody who is speaking stops for it.
        room = self.batch_tokens - len(rows)
        if replies:
            room = min(room, max(self.batch_tokens // 4, 16))
        for sequence in sorted((s for s in self.running if s.prefilling), key=_urgency):
            if room <= 0:
                break
            chunk = sequence.tokens[sequence.computed : sequence.computed + room]
            put(sequence, chunk.tolist(), sequence.computed + len(chunk) == len(sequence.tokens))
            room -= len(chunk)
        return rows, parts

    # ---- coming and going

    def _let_in(self, step: Step) -> None:
        for item in self.queue[: 4 * self.max_parallel]:
            if len(self.running) >= self.max_parallel:
                return
            job = item[2]
            donor, shared = self._donor(job)
            if donor is not None and donor.computed < shared:
                if donor.job is not None and donor.job.priority <= job.priority:
                    continue  # somebody is computing the same beginning: wait for it
                shared = donor.computed
            if not self._start(item, donor, shared):
                return
            step.started.append(job.id)

    def _donor(self, job: Job) -> tuple[Sequence_ | None, int]:
        """Who has, or is about to have, most of this prompt's beginning; and how many tokens of it."""
        if not self.share:
            return None, 0
        most = len(job.tokens) - 1  # the last token is decoded for its logits
        best: Sequence_ | None = None
        length = have = 0
        for sequence in (*self.kept, *self.running):
            common = min(common_prefix(sequence.tokens, job.tokens), most)
            if sequence.job is not None and common < WORTH_SHARING:
                common = min(common, sequence.computed)
            ready = min(common, sequence.computed)
            if (common, ready) > (length, have):
                best, length, have = sequence, common, ready
        if best is not None and have < length:
            # Not worth waiting for when nearly as much is there already.
            for sequence in (*self.kept, *self.running):
                ready = min(common_prefix(sequence.tokens, job.tokens), most, sequence.computed)
                if ready + WORTH_SHARING > length:
                    return sequence, ready
        return best, length

    def _start(self, item: tuple[int, int, Job], donor: Sequence_ | None, shared: int) -> bool:
        """Lets a job in; False when there is no room for it yet."""
        job = item[2]
        need = len(job.tokens) - shared + job.max_tokens
        if donor in self.kept:
            self.kept.remove(donor)  # it is being used: the last to be dropped
            self.kept.append(donor)
        reserved = sum(sequence.reserved for sequence in self.running)
        held = self.book.held_by([s.id for s in self.running], donor.id if donor else 0, shared)
        if held + reserved + need > self.memory.cells:
            return False
        id_ = self._free_sequence(donor)
        if id_ is None:
            return False
        if donor is not None and shared:
            self.memory.copy(donor.id, id_, shared)
            self.book.copy(donor.id, id_, shared)
        while self.book.used + reserved + need > self.memory.cells and self._make_room():
            pass
        self.queue.remove(item)
        chooser = job.chooser()
        sequence = Sequence_(id_, job.tokens, job.system_tokens, job, chooser, computed=shared, reserved=need, cached=shared)
        sequence.started = item[1]
        self.running.append(sequence)
        return True

    def _free_sequence(self, spare: Sequence_ | None) -> int | None:
        if not self.free:
            victim = next((s for s in self.kept if s is not spare), None)
            if victim is None:
                return None
            self._drop_kept(victim)
        return self.free.pop()

    def _retire(self, sequence: Sequence_, keep: bool = True) -> None:
        """A job is over: its prompt is kept for those who begin alike, its reply is forgotten."""
        self.running.remove(sequence)
        job = sequence.job
        if not (keep and job and self.kept_limit):
            self._clear(sequence.id)
            return
        self._cut(sequence, min(len(job.tokens), sequence.computed))
        sequence.system_tokens = min(sequence.system_tokens, len(sequence.tokens))
        sequence.job = sequence.chooser = None
        sequence.reserved = 0
        # One kept prompt for each system text: the newest.
        alike = [
            s
            for s in self.kept
            if s.system_tokens == sequence.system_tokens and common_prefix(s.tokens, sequence.tokens) >= s.system_tokens
        ]
        for old in alike:
            self._drop_kept(old)
        self.kept.append(sequence)
        while len(self.kept) > self.kept_limit:
            self._drop_kept()

    def _make_room(self) -> bool:
        """Frees cells: first the questions after kept system texts, then whole prompts, least lately used first."""
        for sequence in self.kept:
            if WORTH_SHARING <= sequence.system_tokens < len(sequence.tokens):
                self._cut(sequence, sequence.system_tokens)
                return True
        if self.kept:
            self._drop_kept()
            return True
        return False

    def _send_back(self) -> bool:
        """Puts the latest job that has said nothing yet back into the queue."""
        silent = [s for s in self.running if not s.text and s.job is not None]
        if len(self.running) < 2 or not silent:
            return False
        sequence = max(silent, key=_urgency)
        self.running.remove(sequence)
        self._clear(sequence.id)
        if sequence.job is not None:
            self.queue.append((sequence.job.priority, sequence.started, sequence.job))
            self.queue.sort(key=lambda item: item[:2])
        return True

    def _drop_kept(self, sequence: Sequence_ | None = None) -> None:
        victim = sequence or self.kept[0]
        self.kept.remove(victim)
        self._clear(victim.id)

    def _cut(self, sequence: Sequence_, length: int) -> None:
        self.memory.cut(sequence.id, length)
        self.book.cut(sequence.id, length)
        sequence.tokens = sequence.tokens[:length]
        sequence.computed = min(sequence.computed, length)

    def _clear(self, id_: int) -> None:
        self.memory.cut(id_)
        self.book.cut(id_)
        self.free.append(id_)


def _urgency(sequence: Sequence_) -> tuple[int, int]:
    return (sequence.job.priority if sequence.job else 99, sequence.started)
