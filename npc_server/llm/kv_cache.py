"""The KV cache of a context: which sequence holds which cells, how many cells are free, and which sequence numbers are free.

A cell holds the computed keys and values of one token. Several sequences may hold the same cell. llama.cpp does not say how many cells
are free, so `KvCells` counts along.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np

from npc_server.llm.llama import Row
from npc_server.llm.sampling import Logits


class ContextMemory(Protocol):
    """What the batcher needs of a context. `llama.LlamaContext` implements it."""

    cells: int

    def decode(self, rows: Sequence[Row], may_interrupt: bool = False) -> bool: ...
    def logits(self, row: int) -> Logits: ...
    def copy(self, source: int, target: int, end: int) -> None: ...
    def cut(self, sequence: int, start: int = 0) -> None: ...


class KvCells:
    """Counts cells as llama.cpp's unified cache does: a cell is free when no sequence holds it."""

    def __init__(self, cells: int, sequences: int) -> None:
        self.holders = np.zeros(cells, np.int32)
        self.cells_of = [np.empty(0, np.int32) for _ in range(sequences)]
        self.free = list(range(cells))[::-1]
        self.total = cells

    @property
    def used(self) -> int:
        return self.total - len(self.free)

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
        if count > len(self.free):
            raise IndexError(f"{count} cells are needed, and {len(self.free)} are free")
        cells = np.array([self.free.pop() for _ in range(count)], np.int32)
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
        self.free.extend(int(cell) for cell in gone[self.holders[gone] == 0])


class SequencePool:
    """The sequences of one context. It changes llama.cpp's cache and our count of its cells together."""

    def __init__(self, memory: ContextMemory, sequences: int) -> None:
        self.memory = memory
        self.cells = KvCells(memory.cells, sequences)
        self.free = list(range(sequences))[::-1]
        """The numbers of the sequences that nobody uses."""

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
        self.free.append(sequence)
