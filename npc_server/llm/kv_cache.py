"""The KV cache of a context: which sequence holds which cells, how many cells are free, and which sequence numbers are free.

A cell holds the computed keys and values of one token. In a pool several sequences may hold the same cell. llama.cpp does not say how
many cells are free, so `KvCells` counts along. With streams each sequence has cells of its own (`StreamCells`).
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np

from npc_server.llm.llama import Rows
from npc_server.llm.sampling import Logits


class ContextMemory(Protocol):
    """What is needed of a context to read and write with it. `llama.LlamaContext` implements it."""

    cells: int
    """The most tokens of one sequence."""
    streams: bool
    """Whether each sequence has so many cells of its own. Otherwise all share them."""

    def decode(self, rows: Rows, may_interrupt: bool = False) -> bool: ...
    def logits(self) -> Logits: ...
    def copy(self, source: int, target: int, end: int) -> None: ...
    def cut(self, sequence: int, start: int = 0) -> None: ...


class KeepsStates(ContextMemory, Protocol):
    """The same, and what the batcher needs to keep on disk what was read."""

    def state(self, sequence: int) -> bytes: ...
    def restore(self, sequence: int, state: bytes) -> bool: ...


class KvCells:
    """Counts cells as llama.cpp's unified cache does: a cell is free when no sequence holds it."""

    def __init__(self, cells: int, sequences: int) -> None:
        self.holders = np.zeros(cells, np.int32)
        self.cells_of = [np.empty(0, np.int32) for _ in range(sequences)]
        self.free = np.arange(cells, dtype=np.int32)
        """Its first `total - used` numbers are those of the free cells."""
        self.total, self.used = cells, 0

    def fits(self, need: int, running: Sequence[int], beginnings: Iterable[tuple[int, int]]) -> bool:
        """Returns whether `need` cells can be had without taking any from `running` and `beginnings`."""
        return self.held_by(running, beginnings) + need <= self.total

    def lacks(self, need: int) -> bool:
        """Returns whether fewer than `need` cells are free."""
        return self.used + need > self.total

    def held_by(self, sequences: Iterable[int], beginnings: Iterable[tuple[int, int]]) -> int:
        """Counts the cells that `sequences` hold, together with the first cells of others. No cell counts twice.

        Each of the `beginnings` is a sequence and how many of its first cells count.
        """
        mark = np.zeros(self.total, bool)
        for sequence, length in beginnings:
            mark[self.cells_of[sequence][:length]] = True
        for sequence in sequences:
            mark[self.cells_of[sequence]] = True
        return int(mark.sum())

    def compute(self, sequence: int, count: int) -> None:
        """Gives `sequence` another `count` free cells. Raises IndexError when fewer are free."""
        free = self.total - self.used
        if count > free:
            raise IndexError(f"{count} cells are needed, and {free} are free")
        cells = self.free[free - count : free].copy()
        self.used += count
        self.holders[cells] = 1
        self.cells_of[sequence] = np.concatenate([self.cells_of[sequence], cells])

    def copy(self, source: int, target: int, end: int) -> None:
        """Lets `target` share the first `end` cells of `source`. `target` must be empty."""
        shared = self.cells_of[source][:end].copy()
        self.holders[shared] += 1
        self.cells_of[target] = shared

    def cut(self, sequence: int, start: int = 0) -> None:
        """Takes from `sequence` its cells from position `start` on."""
        gone = self.cells_of[sequence][start:]
        self.cells_of[sequence] = self.cells_of[sequence][:start]
        self.holders[gone] -= 1
        freed, free = gone[self.holders[gone] == 0], self.total - self.used
        self.free[free : free + len(freed)] = freed
        self.used -= len(freed)


class StreamCells:
    """Cells of a context in which each sequence has its own. No sequence can take any from another."""

    def __init__(self, cells: int, sequences: int) -> None:
        self.total, self.lengths = cells, [0] * sequences

    @property
    def used(self) -> int:
        return sum(self.lengths)

    def fits(self, need: int, running: Sequence[int], beginnings: Iterable[tuple[int, int]]) -> bool:
        return True

    def lacks(self, need: int) -> bool:
        return False

    def compute(self, sequence: int, count: int) -> None:
        """Gives `sequence` another `count` of its cells. Raises IndexError when it has fewer."""
        if self.lengths[sequence] + count > self.total:
            raise IndexError(f"{count} cells are needed, and {self.total - self.lengths[sequence]} are free")
        self.lengths[sequence] += count

    def copy(self, source: int, target: int, end: int) -> None:
        self.lengths[target] = min(end, self.lengths[source])

    def cut(self, sequence: int, start: int = 0) -> None:
        self.lengths[sequence] = min(start, self.lengths[sequence])


class SequencePool:
    """The sequences of one context. It changes llama.cpp's cache and our count of its cells together."""

    def __init__(self, memory: KeepsStates, sequences: int) -> None:
        self.memory = memory
        self.cells: KvCells | StreamCells = (StreamCells if memory.streams else KvCells)(memory.cells, sequences)
        self.free = list(range(sequences))
        """The numbers of the sequences that nobody uses, as a heap. The lowest is taken first: llama.cpp joins adjacent streams."""

    def copy(self, source: int, target: int, end: int) -> None:
        """Lets `target` share the first `end` tokens of `source`. `target` must be empty."""
        self.memory.copy(source, target, end)
        self.cells.copy(source, target, end)

    def cut(self, sequence: int, start: int) -> None:
        """Forgets the tokens of `sequence` from position `start` on."""
        self.memory.cut(sequence, start)
        self.cells.cut(sequence, start)

    def release(self, sequence: int) -> None:
        """Forgets all of `sequence`, and frees its number."""
        self.memory.cut(sequence)
        self.cells.cut(sequence)
        heapq.heappush(self.free, sequence)

    def restore(self, sequence: int, state: bytes, tokens: int) -> bool:
        """Gives an empty sequence a kept state of some tokens. Returns False, and leaves it empty, where llama.cpp does not take it."""
        if not self.memory.restore(sequence, state):
            self.memory.cut(sequence)
            return False
        self.cells.compute(sequence, tokens)
        return True

    def take(self) -> int:
        """Returns the number of a sequence that nobody used. Raises IndexError when there is none."""
        return heapq.heappop(self.free)
