"""A context that keeps llama.cpp's rules and refuses to be misused, and jobs for it whose answers are known."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from npc_server.errors import EngineError
from npc_server.llm.batching import Batcher, Step
from npc_server.llm.llama import Interrupted, Rows
from npc_server.llm.sampling import Logits
from npc_server.llm.sampling_parameters import SamplingParameters
from npc_server.llm.sequences import Job
from npc_server.llm.state_files import StateFiles

VOCAB = 251


class FakeMemory:
    """Cells hold a token, its position and the sequences it belongs to, as llama.cpp's cache does. With streams a cell has one sequence."""

    def __init__(self, cells: int, batch: int, streams: bool = False) -> None:
        self.cells, self.batch, self.streams = cells, batch, streams
        self.held: list[tuple[int, int, set[int]]] = []
        self.rows = Rows.of([])
        self.decoded = 0
        self.refusals = 0
        self.refuse_next = 0
        self.interrupt_next = 0
        """So many decodes that may be interrupted are."""
        self.interrupted = 0
        self.refuse_states = False

    def tokens(self, sequence: int) -> list[int]:
        mine = sorted((position, token) for token, position, owners in self.held if sequence in owners)
        assert [position for position, _ in mine] == list(range(len(mine))), "positions have no gap and no double"
        return [token for _, token in mine]

    def decode(self, rows: Rows, may_interrupt: bool = False) -> bool:
        assert 0 < len(rows) <= self.batch
        if self.refuse_next or (not self.streams and len(self.held) + len(rows) > self.cells):
            self.refuse_next = max(self.refuse_next - 1, 0)
            self.refusals += 1
            return False
        for row in rows:
            assert row.position == len(self.tokens(row.sequence)) < self.cells, "each token follows the one before"
            self.held.append((row.token, row.position, {row.sequence}))
            if may_interrupt and self.interrupt_next:  # somewhere in the middle of it
                self.interrupt_next -= 1
                self.interrupted += 1
                raise Interrupted
        self.rows = rows
        self.decoded += len(rows)
        return True

    def logits(self) -> Logits:
        wanted = [row for row in self.rows if row.wants_logits]
        assert wanted
        found = np.zeros((len(wanted), VOCAB), np.float32)
        for number, row in enumerate(wanted):
            found[number, answer(self.tokens(row.sequence)[: row.position + 1])] = 1
        return found

    def copy(self, source: int, target: int, end: int) -> None:
        assert not self.tokens(target)
        for token, position, owners in list(self.held):
            if source in owners and position < end:
                if self.streams:
                    self.held.append((token, position, {target}))
                else:
                    owners.add(target)

    def state(self, sequence: int) -> bytes:
        return np.array(self.tokens(sequence), np.int32).tobytes()

    def restore(self, sequence: int, state: bytes) -> bool:
        assert not self.tokens(sequence)
        tokens = np.frombuffer(state, np.int32)
        if self.refuse_states or (not self.streams and len(self.held) + len(tokens) > self.cells):
            return False
        self.held += [(int(token), position, {sequence}) for position, token in enumerate(tokens)]
        return True

    def cut(self, sequence: int, start: int = 0) -> None:
        for _, position, owners in self.held:
            if position >= start:
                owners.discard(sequence)
        self.held = [cell for cell in self.held if cell[2]]


def answer(tokens: Sequence[int]) -> int:
    """The next token: it depends on every one before and on its place."""
    return sum((place + 1) * (int(token) + 7) for place, token in enumerate(tokens)) % VOCAB


def reply_to(prompt: Sequence[int], length: int) -> list[int]:
    tokens = list(prompt)
    for _ in range(length):
        tokens.append(answer(tokens))
    return tokens[len(prompt) :]


class Greedy:
    """Stands in for `Chooser`: takes the likeliest, ends after `length`."""

    parameters, rng = SamplingParameters(0, 1, 0), np.random.default_rng(0)

    def __init__(self, length: int, fails: bool = False) -> None:
        self.left, self.fails = length, fails

    def penalised(self, logits: Logits) -> Logits:
        return logits

    def accept(self, token: int, logits: Logits) -> tuple[list[int], bool]:
        if self.fails:
            raise EngineError("the grammar stopped")
        assert token == logits.argmax()
        self.left -= 1
        return [token], self.left <= 0


def job(
    id_: int,
    prompt: Sequence[int],
    *,
    length: int = 5,
    most: int = 8,
    system: int = 0,
    priority: int = 2,
    fails: bool = False,
    is_chat: bool = False,
    lasting: int = 0,
) -> Job:
    tokens = np.array(prompt, np.int32)
    return Job(id_, tokens, system, most, priority, lambda: Greedy(length, fails), is_chat=is_chat, lasting=lasting)  # type: ignore[arg-type, return-value]


def score_job(id_: int, prompt: Sequence[int], given: Sequence[int], text: Sequence[int], *, system: int = 0, priority: int = 2) -> Job:
    """Scores `text` after `given`."""
    written = np.array([*given, *text], np.int32)
    return Job(id_, np.array(prompt, np.int32), system, 0, priority, lambda: None, written, len(text))


def logprob_of(before: Sequence[int], text: Sequence[int]) -> float:
    """The log probability of a text: the logit of the right token is 1, and that of all others 0."""
    whole = [*before, *text]
    right = sum(answer(whole[:at]) == whole[at] for at in range(len(before), len(whole)))
    return right - len(text) * float(np.log(np.e + VOCAB - 1))


def batcher(
    memory: FakeMemory,
    parallel: int = 4,
    kept: int = 4,
    share: bool = True,
    others_share: float = 0.25,
    apart: bool = False,
    most_s: float = math.inf,
    token_s: float = 0.0,
    states: StateFiles | None = None,
) -> Batcher:
    """`token_s` is how long a token takes to decode."""
    return Batcher(
        memory,
        lambda token: bytes([token % 90 + 33]),
        batch_tokens=memory.batch,
        max_parallel=parallel,
        kept_prefixes=kept,
        share=share,
        others_share=others_share,
        apart=apart,
        most_s=most_s,
        states=states,
        clock=lambda: memory.decoded * token_s,
    )


def run(one: Batcher, memory: FakeMemory) -> list[Step]:
    steps = []
    while not one.idle:
        steps.append(one.turn())
        assert one.pool.cells.used == len(memory.held), "the account of the cells is right after every turn"
        assert len(steps) < 5000
    return steps


def texts(steps: Sequence[Step]) -> dict[int, str]:
    return {done.id: done.text for step in steps for done in step.done}


def scores(steps: Sequence[Step]) -> dict[int, float]:
    return {done.id: done.logprob for step in steps for done in step.scored}


def spelled(tokens: Sequence[int]) -> str:
    return "".join(chr(token % 90 + 33) for token in tokens)


def prompt(seed: int, length: int) -> list[int]:
    return [int(token) for token in np.random.default_rng(seed).integers(0, VOCAB, length)]
