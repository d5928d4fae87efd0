"""Continuous batching: the replies to many requests grow together in one llama.cpp context, one decode after the other.

A request starts only when the KV cache has cells for its prompt and its longest reply, so that no decode fails for lack of room.
`scheduler` decides what is in a decode, `shared_prefix` which prompts share their beginning, and `kv_cache` counts the cells.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from npc_server.errors import EngineError, PromptTooLong
from npc_server.llm.kv_cache import KeepsStates, SequencePool
from npc_server.llm.llama import Interrupted
from npc_server.llm.sampling import Choice, Chooser, Logits, choose_all
from npc_server.llm.scheduler import Batch, Part, Scheduler
from npc_server.llm.score import FinishedScore, log_probability
from npc_server.llm.sequences import ContextSequence, Job, waiting
from npc_server.llm.shared_prefix import WORTH_SHARING, SharedPrefix
from npc_server.llm.state_files import WORTH_LOADING, StateFile, StateFiles


@dataclass(frozen=True)
class FinishedReply:
    """A whole reply. The counts are in tokens, and `cached_tokens` of the prompt were copied from another one."""

    id: int
    text: str
    prompt_tokens: int
    cached_tokens: int
    reply_tokens: int
    truncated: bool
    """Whether `max_tokens` ended it."""


@dataclass
class Step:
    """What happened in one turn of the batcher. Jobs are named by their ids."""

    started: list[int] = field(default_factory=list)
    text: list[tuple[int, str]] = field(default_factory=list)
    """New text of each reply: whole characters."""
    done: list[FinishedReply] = field(default_factory=list)
    scored: list[FinishedScore] = field(default_factory=list)
    failed: list[tuple[int, EngineError]] = field(default_factory=list)
    decoded: int = 0
    """Tokens."""


class Batcher:
    """Owns the sequences of one context, and the jobs that wait for one. `turn` does one decode."""

    def __init__(
        self,
        memory: KeepsStates,
        piece: Callable[[int], bytes],
        *,
        batch_tokens: int,
        max_parallel: int,
        kept_prefixes: int,
        share: bool = True,
        others_share: float = 0.25,
        apart: bool = False,
        most_s: float = math.inf,
        states: StateFiles | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        """`piece` returns the bytes of a token.

        `batch_tokens` limits a decode, `max_parallel` the replies at once, and `kept_prefixes` the prompts kept after their replies.
        Without `share` prompts share nothing. `others_share` is what requests of others get for each token of a player's. `apart` keeps
        prompts and replies in different decodes. A decode without players takes at most about `most_s` seconds by the `clock`. `states` are
        what earlier plays have read.
        """
        self.memory, self.piece = memory, piece
        self.max_parallel = max_parallel
        self.scheduler = Scheduler(batch_tokens, others_share, apart, most_s)
        self.clock, self.states = clock, states
        self.pool = SequencePool(memory, max_parallel + kept_prefixes)
        self.prefixes = SharedPrefix(self.pool, limit=kept_prefixes, enabled=share)
        self.running: list[ContextSequence] = []
        self.queue: list[ContextSequence] = []
        self.prefixes.waiting = lambda: self.queue
        self.arrivals = itertools.count()
        self.decoding: Callable[[frozenset[int]], None] = lambda jobs: None
        """Is told the jobs of a decode before it begins."""

    # ---- requests

    def add(self, job: Job) -> None:
        """Queues a job. Raises PromptTooLong when prompt and reply cannot fit the context, or the prompt is empty."""
        reply = job.max_tokens + len(job.written)
        if len(job.tokens) + reply > self.memory.cells or len(job.tokens) == 0:
            raise PromptTooLong(
                f"The prompt has {len(job.tokens)} tokens and the reply may have {reply}; the context holds {self.memory.cells}.",
                f"Shorten the prompt, or raise engine.{'stream_tokens' if self.memory.streams else 'context_tokens'}.",
                prompt_tokens=len(job.tokens),
                context_tokens=self.memory.cells,
            )
        if not job.scored:  # several texts are scored after each question, which would look like a hurry
            self.prefixes.asks.ask(job.tokens[: job.system_tokens].tobytes())
        self._enqueue(waiting(job, next(self.arrivals)))

    def _enqueue(self, sequence: ContextSequence) -> None:
        self.queue.append(sequence)
        self.queue.sort(key=lambda item: item.urgency)

    def cancel(self, job_id: int) -> bool:
        """Removes a job, and frees its sequence when it runs. Returns whether it ran."""
        self.queue = [item for item in self.queue if item.job is None or item.job.id != job_id]
        for sequence in self.running:
            if sequence.job is not None and sequence.job.id == job_id:
                self._end(sequence, keep=sequence.computed >= WORTH_SHARING)
                return True
        return False

    @property
    def idle(self) -> bool:
        return not self.queue and not self.running

    # ---- one turn

    def turn(self) -> Step:
        """Starts what can start, decodes one batch, and chooses the next token of each reply.

        Raises RuntimeError when llama.cpp cannot go on; the model process should then end.
        """
        step = Step()
        self._admit(step)
        batch = self.scheduler.next_batch(self.running)
        if not batch.size:
            return step
        began = self.clock()
        try:
            while not self._decode(batch):
                # Our count of the cells says that this cannot happen. If it does, kept prompts go first, then the least urgent reply.
                if self.prefixes.kept:
                    self.prefixes.drop(self.prefixes.least_wanted()[0])
                elif len(self.running) < 2 or not self._preempt(self.running):
                    raise RuntimeError("llama.cpp found no room in the context for a batch, although nothing else is in it")
                batch = self.scheduler.next_batch(self.running)
        except Interrupted:
            self._forget(batch)
            return step
        step.decoded = batch.size
        others_wait = any(not sequence.of_player for sequence in (*self.running, *self.queue))
        self.scheduler.decoded(batch, others_wait, self.clock() - began)
        for part in batch.parts:
            self._advance(part)
            self._keep_state(part.sequence)
        if any(part.wanted for part in batch.parts):
            self._use(batch.parts, self.memory.logits(), step)
        return step

    def _use(self, parts: Sequence[Part], logits: Logits, step: Step) -> None:
        """Chooses and scores tokens by the logits of a decode, shape (wanted, vocabulary), in the order of its parts."""
        row, rows = 0, []
        replying: list[tuple[ContextSequence, Job, Chooser]] = []
        for part in parts:
            sequence, job = part.sequence, part.sequence.job
            assert job is not None
            if sequence.chooser is None:
                self._score(part, job, logits[row : row + part.wanted], step)
            elif part.last:
                replying.append((sequence, job, sequence.chooser))
                rows.append(row)
            row += part.wanted
        if replying:
            mine = logits if len(rows) == len(logits) else logits[rows]
            for (sequence, job, _), choice in zip(replying, choose_all([it[2] for it in replying], mine), strict=True):
                self._choose(sequence, job, choice, step)

    def _decode(self, batch: Batch) -> bool:
        self.decoding(batch.jobs)
        return self.memory.decode(batch.rows(), may_interrupt=not batch.of_players)

    def _forget(self, batch: Batch) -> None:
        """Cuts off what an interrupted decode may have computed. Its tokens are decoded again."""
        self.scheduler.interrupted(batch)
        for part in batch.parts:
            self.memory.cut(part.sequence.id, part.sequence.computed)

    def _advance(self, part: Part) -> None:
        """Counts the tokens of a sequence that were decoded."""
        sequence, count = part.sequence, len(part.tokens)
        self.pool.cells.compute(sequence.id, count)
        sequence.reserved = max(sequence.reserved - count, 0)
        replying = not sequence.prefilling
        sequence.computed += count
        if replying:
            sequence.tokens = np.concatenate([sequence.tokens, part.tokens])
            del sequence.pending[:count]

    def _keep_state(self, sequence: ContextSequence) -> None:
        """Keeps on disk what was just computed of a prompt, if other plays will begin with it."""
        lasting = sequence.job.lasting if sequence.job is not None else 0
        if self.states is None or sequence.is_kept or not WORTH_LOADING <= lasting <= sequence.computed:
            return
        sequence.is_kept = True
        if not self.states.has(sequence.tokens[:lasting]):
            # Some tokens behind what lasts are kept, too: llama.cpp copies a stream, to cut it, only with the next decode.
            self.states.write(sequence.tokens[: sequence.computed], self.memory.state(sequence.id))

    def _score(self, part: Part, job: Job, logits: Logits, step: Step) -> None:
        """Adds the likelihood of some tokens of a given reply, and ends its job after the last."""
        sequence = part.sequence
        after = job.given[sequence.computed - part.wanted + 1 : sequence.computed + 1]
        sequence.logprob += log_probability(logits, after)
        if not part.last:
            return
        if math.isfinite(sequence.logprob):
            step.scored.append(FinishedScore(job.id, sequence.logprob, job.scored, len(sequence.tokens) - sequence.cached))
        else:
            step.failed.append((job.id, EngineError("The model's probabilities are not numbers.", "The file may be damaged.")))
        self._end(sequence)

    def _choose(self, sequence: ContextSequence, job: Job, choice: Choice | EngineError, step: Step) -> None:
        """Adds the tokens that were chosen to a reply, and ends it when it is over."""
        if isinstance(choice, EngineError):
            step.failed.append((job.id, choice))
            self._end(sequence)
            return
        tokens, over = choice
        room = job.max_tokens - sequence.replied
        truncated = len(tokens) > room or (len(tokens) == room and not over)
        tokens = tokens[:room]
        over = over or truncated
        sequence.replied += len(tokens)
        sequence.pending += tokens
        # The decoder holds back the bytes of an unfinished character. If `max_tokens` ends the reply there, they are left out.
        text = sequence.decoder.decode(b"".join(self.piece(token) for token in tokens))
        if job.one_line:
            text, broken, _ = (text if sequence.text else text.lstrip()).partition("\n")
            over, truncated = over or bool(broken), truncated and not broken
        if text:
            sequence.text.append(text)
            step.text.append((job.id, text))
        if over:
            prompt = len(job.tokens)
            step.done.append(FinishedReply(job.id, "".join(sequence.text), prompt, sequence.cached, sequence.replied, truncated))
            self._end(sequence)

    # ---- starting and ending

    def _admit(self, step: Step) -> None:
        """Starts waiting jobs, the most urgent first, until one must wait for room."""
        for sequence in self.queue[: 4 * self.max_parallel]:
            # Only other players count for a player: `max_parallel` players may run beside others.
            counted = [it for it in self.running if it.of_player] if sequence.of_player else self.running
            if len(counted) >= self.max_parallel:
                return
            started = self._start(sequence)
            while started is False and sequence.of_player and self._preempt([it for it in self.running if not it.of_player]):
                started = self._start(sequence)
            if started is False:
                return
            if started and sequence.job is not None:
                step.started.append(sequence.job.id)

    def _start(self, sequence: ContextSequence) -> bool | None:
        """Starts a waiting job. Returns False when there is no room yet, and None when it waits for a prefix that another job computes."""
        assert sequence.job is not None
        source, shared = self.prefixes.longest(sequence, self.running)
        if source is not None and source.computed < shared:
            if source.job is not None and source.job.priority <= sequence.job.priority:
                return None
            shared = source.computed
        file, on_disk = self._on_disk(sequence, shared)
        if file is not None:
            source, shared = None, 0
        need = len(sequence.tokens) - shared + sequence.job.max_tokens - sequence.replied  # a given reply is in `tokens`
        number = self.prefixes.place(sequence, source, shared, need, self.running)
        if number is None:
            return False
        if file is not None and self._load(file, number):
            shared = on_disk
            self.pool.cut(number, shared)
            need -= shared
        self.queue.remove(sequence)
        if sequence.chooser is None:
            sequence.chooser, sequence.cached = sequence.job.chooser(), shared
        sequence.id, sequence.computed, sequence.reserved = number, shared, need
        self.running.append(sequence)
        return True

    def _on_disk(self, sequence: ContextSequence, shared: int) -> tuple[StateFile | None, int]:
        """Finds the file that spares a prompt most of its reading, where that is more than the `shared` tokens do, and how many it has."""
        if self.states is None or sequence.job is None or not sequence.job.lasting:
            return None, 0
        file, length = self.states.longest(sequence.tokens[: sequence.unshared])
        return (file, length) if length >= shared + WORTH_LOADING else (None, 0)

    def _load(self, file: StateFile, number: int) -> bool:
        """Puts a state from disk into an empty sequence. One that llama.cpp does not take is deleted."""
        assert self.states is not None
        size = len(file.tokens)
        state = None if size > self.memory.cells or self.pool.cells.lacks(size) else self.states.read(file)
        if state is None:
            return False
        if self.pool.restore(number, state, len(file.tokens)):
            return True
        self.states.drop(file)
        return False

    def _end(self, sequence: ContextSequence, keep: bool = True) -> None:
        """Ends a job. Its reply is forgotten; its prompt stays for those that begin with the same tokens, unless `keep` is false."""
        self.running.remove(sequence)
        if keep and sequence.job and self.prefixes.limit:
            self.prefixes.keep(sequence, len(sequence.tokens if sequence.job.is_chat else sequence.job.tokens))
        else:
            self.pool.release(sequence.id)

    def _preempt(self, among: Sequence[ContextSequence]) -> bool:
        """Takes the least urgent job out of the context. It waits, and goes on where it was when there is room again."""
        if not among:
            return False
        sequence = max(among, key=lambda it: it.urgency)
        self.running.remove(sequence)
        self.pool.release(sequence.id)
        sequence.preempt()
        self._enqueue(sequence)
        return True
