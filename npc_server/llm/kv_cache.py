"""The account of the context's cells: which sequences hold which, and how many are taken."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray


def common_prefix(one: NDArray[np.int32], other: NDArray[np.int32]) -> int:
    """How many tokens two sequences begin with in common."""
    length = min(len(one), len(other))
    differ = np.flatnonzero(one[:length] != other[:length])
    return int(differ[0]) if differ.size else length


class KvCells:
    """Counts as llama.cpp's unified cache does: a cell is free when no sequence holds it."""

    def __init__(self, cells: int, sequences: int) -> None:
        self.holders = np.zeros(cells, np.int32)
        self.cells_of = [np.empty(0, np.int32) for _ in range(sequences)]
        self.free = list(range(cells))[::-1]
        self.total = cells

    @property
    def used(self) -> int:
        return self.total - len(self.free)

    def held_by(self, sequences: Iterable[int], beginnings: Iterable[tuple[int, int]]) -> int:
        """Cells that `sequences` hold, and the first so many of each of the `beginnings`."""
        mark = np.zeros(self.total, bool)
        for sequence, length in beginnings:
            mark[self.cells_of[sequence][:length]] = True
        for sequence in sequences:
            mark[self.cells_of[sequence]] = True
        return int(mark.sum())

    def compute(self, sequence: int, count: int) -> None:
        """`count` more tokens of `sequence`. Raises IndexError when there are too few cells."""
        if count > len(self.free):
            raise IndexError(f"{count} cells are wanted and {len(self.free)} are free")
        cells = np.array([self.free.pop() for _ in range(count)], np.int32)
        self.holders[cells] = 1
        self.cells_of[sequence] = np.concatenate([self.cells_of[sequence], cells])

    def copy(self, source: int, target: int, end: int) -> None:
        """`target`, which is empty, shares the first `end` cells of `source`."""
        shared = self.cells_of[source][:end].copy()
        self.holders[shared] += 1
        self.cells_of[target] = shared

    def cut(self, sequence: int, start: int = 0) -> None:
        """`sequence` lets go of what it holds from `start` on."""
        gone = self.cells_of[sequence][start:]
        self.cells_of[sequence] = self.cells_of[sequence][:start]
        self.holders[gone] -= 1
        self.free.extend(int(cell) for cell in gone[self.holders[gone] == 0])
