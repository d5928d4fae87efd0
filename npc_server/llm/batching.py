"""Continuous batching: many replies grow together in one context, and prompts share what they have in common.

The context is one pool of cells. A cell holds one computed token and may belong to several sequences; `KvCells` keeps the same
account as llama.cpp does, so a request is let in only when its prompt and its longest reply fit, and no decode ever fails for
want of room. A finished prompt is kept while nobody needs its cells. See docs/models.md.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from npc_server.errors import EngineError, PromptTooLong
from npc_server.llm.kv_cache import KvCells, common_prefix
from npc_server.llm.llama import Interrupted, Row
from npc_server.llm.precedence import Batch, Precedence
from npc_server.llm.sampling import Logits
from npc_server.llm.sequences import ContextSequence, Job, waiting

WORTH_SHARING = 16
"""Tokens; a shorter common prefix is not worth waiting for."""


class ContextMemory(Protocol):
    """What the batcher needs of a context (`llama.LlamaContext`)."""

    cells: int

    def decode(self, rows: Sequence[Row], may_interrupt: bool = False) -> bool: ...
    def logits(self, row: int) -> Logits: ...
    def copy(self, source: int, target: int, end: int) -> None: ...
    def cut(self, sequence: int, start: int = 0) -> None: ...


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
        others_share: float = 0.25,
    ) -> None:
        self.memory, self.piece = memory, piece
        self.max_parallel, self.share = max_parallel, share
        self.precedence = Precedence(batch_tokens, others_share)
        self.kept_limit = kept_prefixes if share else 0
        self.book = KvCells(memory.cells, max_parallel + kept_prefixes)
        self.free = list(range(max_parallel + kept_prefixes))[::-1]
        self.running: list[ContextSequence] = []
        self.kept: list[ContextSequence] = []  # least lately used first
        self.queue: list[ContextSequence] = []
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
        self._wait(waiting(job, next(self.arrivals)))

    def _wait(self, sequence: ContextSequence) -> None:
        self.queue.append(sequence)
        self.queue.sort(key=lambda item: item.urgency)

    def cancel(self, job_id: int) -> bool:
        """Forgets a job, and frees its sequence when it is running."""
        self.queue = [item for item in self.queue if item.job is None or item.job.id != job_id]
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
        batch = self.precedence.next_batch(self.running)
        if not batch.rows:
            return step
        try:
            while not self.memory.decode(batch.rows, may_interrupt=not batch.of_players):
                # The book says this cannot be. Should it be, room is made: first what is only kept, then the least urgent.
                if self.kept:
                    self._drop_kept()
                elif len(self.running) < 2 or not self._put_off(self.running):
                    raise RuntimeError("the context has no room for a batch although nothing is in it")
                batch = self.precedence.next_batch(self.running)
        except Interrupted:
            self._forget(batch)
            return step
        step.decoded = len(batch.rows)
        self.precedence.decoded(batch, any(not sequence.of_player for sequence in (*self.running, *self.queue)))
        for sequence, count, _ in batch.parts:
            self.book.compute(sequence.id, count)
        for sequence, count, row_of_logits in batch.parts:
            self._advance(sequence, count, row_of_logits, step)
        return step

    def _forget(self, batch: Batch) -> None:
        """A decode was interrupted: what it computed, if anything, is not counted on."""
        self.precedence.interrupted(batch)
        for sequence, _, _ in batch.parts:
            self.memory.cut(sequence.id, sequence.computed)

    def _advance(self, sequence: ContextSequence, count: int, row_of_logits: int | None, step: Step) -> None:
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

    # ---- coming and going

    def _let_in(self, step: Step) -> None:
        for sequence in self.queue[: 4 * self.max_parallel]:
            # A player does not wait for others to end: their number is one thing, and that of the others another.
            alike = [it for it in self.running if it.of_player] if sequence.of_player else self.running
            if len(alike) >= self.max_parallel:
                return
            began = self._begin(sequence)
            while began is False and sequence.of_player and self._put_off([it for it in self.running if not it.of_player]):
                began = self._begin(sequence)
            if began is False:
                return
            if began and sequence.job is not None:
                step.started.append(sequence.job.id)

    def _begin(self, sequence: ContextSequence) -> bool | None:
        """Lets somebody in; False when there is no room for it yet, None when it waits for a beginning that somebody computes."""
        donor, shared = self._donor(sequence)
        if donor is not None and donor.computed < shared:
            if donor.job is not None and sequence.job is not None and donor.job.priority <= sequence.job.priority:
                return None
            shared = donor.computed
        return self._start(sequence, donor, shared)

    def _donor(self, wanted: ContextSequence) -> tuple[ContextSequence | None, int]:
        """Who has, or is about to have, most of this prompt's beginning; and how many tokens of it."""
        if not self.share:
            return None, 0
        most = len(wanted.tokens) - 1  # the last token is decoded for its logits
        best: ContextSequence | None = None
        length = have = 0
        for sequence in (*self.kept, *self.running):
            common = min(common_prefix(sequence.tokens, wanted.tokens), most)
            if sequence.job is not None and common < WORTH_SHARING:
                common = min(common, sequence.computed)
            ready = min(common, sequence.computed)
            if (common, ready) > (length, have):
                best, length, have = sequence, common, ready
        if best is not None and have < length:
            # Not worth waiting for when nearly as much is there already.
            for sequence in (*self.kept, *self.running):
                ready = min(common_prefix(sequence.tokens, wanted.tokens), most, sequence.computed)
                if ready + WORTH_SHARING > length:
                    return sequence, ready
        return best, length

    def _start(self, sequence: ContextSequence, donor: ContextSequence | None, shared: int) -> bool:
        """Lets somebody in; False when there is no room for it yet."""
        assert sequence.job is not None
        need = len(sequence.tokens) - shared + sequence.job.max_tokens - sequence.replied
        if donor in self.kept:
            self.kept.remove(donor)  # it is being used: the last to be dropped
            self.kept.append(donor)
        # Where nobody runs there would be nobody to wait for.
        spared = [] if sequence.of_player or not self.running else self._talked_with()
        reserved = sum(it.reserved for it in self.running)
        beginnings = [(it.id, it.system_tokens) for it in spared] + ([(donor.id, shared)] if donor else [])
        held = self.book.held_by([it.id for it in self.running], beginnings)
        if held + reserved + need > self.memory.cells:
            return False
        id_ = self._free_sequence([*spared, *([donor] if donor else [])])
        if id_ is None:
            return False
        if donor is not None and shared:
            self.memory.copy(donor.id, id_, shared)
            self.book.copy(donor.id, id_, shared)
        while self.book.used + reserved + need > self.memory.cells and self._make_room(spared):
            pass
        self.queue.remove(sequence)
        if sequence.chooser is None:
            sequence.chooser, sequence.cached = sequence.job.chooser(), shared
        sequence.id, sequence.computed, sequence.reserved = id_, shared, need
        self.running.append(sequence)
        return True

    def _talked_with(self) -> list[ContextSequence]:
        """The kept prompts of whom players talked with last: others do not take their beginnings, or the next line would wait for them."""
        spoken = [kept for kept in self.kept if kept.spoken >= 0 and kept.system_tokens >= WORTH_SHARING]
        return sorted(spoken, key=lambda it: it.spoken)[-max(self.kept_limit // 4, 1) :]

    def _free_sequence(self, spared: Sequence[ContextSequence]) -> int | None:
        if not self.free:
            victim = next((kept for kept in self.kept if kept not in spared), None)
            if victim is None:
                return None
            self._drop_kept(victim)
        return self.free.pop()

    def _retire(self, sequence: ContextSequence, keep: bool = True) -> None:
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
            sequence.spoken = max(sequence.spoken, old.spoken)
            self._drop_kept(old)
        self.kept.append(sequence)
        spared = self._talked_with()
        while len(self.kept) > self.kept_limit:
            self._drop_kept(next((it for it in self.kept if it not in spared), self.kept[0]))

    def _make_room(self, spared: Sequence[ContextSequence]) -> bool:
        """Frees cells: first the questions after kept system texts, then whole prompts, least lately used first."""
        droppable = [sequence for sequence in self.kept if sequence not in spared]
        for sequence in (*droppable, *spared):
            if WORTH_SHARING <= sequence.system_tokens < len(sequence.tokens):
                self._cut(sequence, sequence.system_tokens)
                return True
        if droppable:
            self._drop_kept(droppable[0])
            return True
        return False

    def _put_off(self, among: Sequence[ContextSequence]) -> bool:
        """Takes the least urgent out of the context; it waits, and goes on where it was when there is room again."""
        if not among:
            return False
        sequence = max(among, key=lambda it: it.urgency)
        self.running.remove(sequence)
        self._clear(sequence.id)
        sequence.put_off()
        self._wait(sequence)
        return True

    def _drop_kept(self, sequence: ContextSequence | None = None) -> None:
        victim = sequence or self.kept[0]
        self.kept.remove(victim)
        self._clear(victim.id)

    def _cut(self, sequence: ContextSequence, length: int) -> None:
        self.memory.cut(sequence.id, length)
        self.book.cut(sequence.id, length)
        sequence.tokens = sequence.tokens[:length]
        sequence.computed = min(sequence.computed, length)

    def _clear(self, id_: int) -> None:
        self.memory.cut(id_)
        self.book.cut(id_)
        self.free.append(id_)
