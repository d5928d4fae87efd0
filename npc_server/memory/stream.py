"""One NPC's memory stream in RAM, and retrieval from it (Generative Agents, section 4.1).

Exact: every memory is scored, in numpy. 100,000 memories of 384 numbers take a few milliseconds.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from npc_server import clock
from npc_server.errors import BadInput, UnknownName
from npc_server.memory.stored import KINDS, StoredMemories
from npc_server.memory.vectors import Vectors
from npc_server.records import GameTime, Memory, MemoryKind, NpcId, ScoredMemory

_Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Weights:
    """How much each part counts in the score."""

    recency: float = 1.0
    importance: float = 1.0
    relevance: float = 1.0


@dataclass(frozen=True)
class StreamMark:
    """A moment of a stream, for `MemoryStream.back_to`."""

    last_id: int
    former: dict[int, Memory]
    """By id, what was touched or weighed since, as it was before."""


class MemoryStream:
    """The memories of one NPC in the order they were made, and a matrix of their vectors, row for row.

    A memory without a vector (there was no model to make it) has relevance 0. Not for several threads at once.
    """

    def __init__(self, npc: NpcId, memories: Sequence[Memory] = (), ids: Sequence[int] = (), matrix: Vectors | None = None) -> None:
        """`ids` and `matrix` are as `memories.load_vectors` gives them; the matrix is the stream's from then on."""
        self.npc = npc
        self._memories: list[Memory | int] = []
        """Places in what is stored become records when they are looked at."""
        self._stored: StoredMemories
        self._row: dict[int, int] = {}
        self._last_id = 0
        self._former: dict[int, Memory] = {}
        """Of the last mark."""
        size = max(16, len(memories))
        self._matrix: Vectors = np.zeros((size, 0), np.float32)
        self._has_vector = np.zeros(size, np.bool_)
        self._ids = np.zeros(size, np.int64)
        self._last_access = np.zeros(size, np.int64)
        self._importance = np.zeros(size, np.float64)
        self._kind = np.zeros(size, np.uint8)
        if isinstance(memories, StoredMemories):
            self._take(memories)
        else:
            for memory in memories:
                self._append(memory)
        self._put_vectors(ids, matrix)

    def _take(self, stored: StoredMemories) -> None:
        """Thousands at once."""
        n = len(stored)
        self._memories, self._stored = list(range(n)), stored
        self._ids[:n], self._last_access[:n] = stored.ids, stored.last_access
        self._importance[:n], self._kind[:n] = stored.importance, stored.kinds
        self._row = dict(zip(stored.ids.tolist(), range(n), strict=True))
        self._last_id = max(self._row, default=0)

    def _put_vectors(self, ids: Sequence[int], matrix: Vectors | None) -> None:
        """In place of all there are."""
        size = len(self._ids)
        if matrix is not None and len(ids) == len(self) == size and np.array_equal(np.asarray(ids), self._ids):
            self._matrix, self._has_vector = matrix, np.ones(size, np.bool_)
            return
        self._matrix = np.zeros((size, matrix.shape[1] if matrix is not None and matrix.ndim == 2 else 0), np.float32)
        self._has_vector = np.zeros(size, np.bool_)
        if matrix is None or not len(ids):
            return
        known = [(row, self._row[number]) for row, number in enumerate(ids) if number in self._row]
        sources, targets = [source for source, _ in known], [target for _, target in known]
        self._matrix[targets] = matrix[sources]
        self._has_vector[targets] = True

    def __len__(self) -> int:
        return len(self._memories)

    def __contains__(self, memory_id: object) -> bool:
        return memory_id in self._row

    @property
    def dimensions(self) -> int:
        """Of the vectors; 0 before the first."""
        return int(self._matrix.shape[1])

    # ---- making and unmaking

    def next_id(self) -> int:
        """An id that nobody else gets, even if no memory comes of it."""
        self._last_id += 1
        return self._last_id

    def add(self, memory: Memory, vector: Vectors | None = None) -> None:
        """Raises BadInput for an id that is taken, another NPC's memory, or a vector of other dimensions or not finite."""
        if memory.npc != self.npc or memory.id in self._row:
            raise BadInput(f"Memory {memory.id} of {memory.npc!r} cannot join the stream of {self.npc!r}.", "Take the id from next_id().")
        flat = None if vector is None else self._checked(vector)
        if len(self) == len(self._ids):
            self._grow()
        if flat is not None and not self._has_vector.any():
            self._matrix = np.zeros((len(self._ids), len(flat)), np.float32)
        row = self._append(memory)
        if flat is not None:
            self._matrix[row] = flat
            self._has_vector[row] = True

    def remove(self, ids: Iterable[int]) -> None:
        """Forgets memories, e.g. of an undone line. Ids that are not there are passed over."""
        gone = {number for number in ids if number in self._row}
        if not gone:
            return
        kept = [row for row, number in enumerate(self._ids[: len(self)].tolist()) if number not in gone]
        self._memories = [self._memories[row] for row in kept]
        self._row = {number: row for row, number in enumerate(self._ids[kept].tolist())}
        for name in ("_matrix", "_has_vector", "_ids", "_last_access", "_importance", "_kind"):
            column = getattr(self, name)
            column[: len(kept)] = column[kept]
            column[len(kept) :] = 0

    def touch(self, ids: Iterable[int], at: GameTime) -> None:
        """Retrieving a memory is an access. Never moves the last access back."""
        for number in ids:
            row = self._row.get(number)
            if row is not None and self._last_access[row] < at:
                self._former.setdefault(number, self._at(row))
                self._put(row, replace(self._at(row), last_access=at))

    def weigh(self, memory_id: int, importance: int) -> None:
        """Sets how much a memory matters, 1 to 10. Raises UnknownName."""
        memory = self.get(memory_id)
        self._former.setdefault(memory_id, memory)
        self._put(self._row[memory_id], replace(memory, importance=importance))

    def mark(self) -> StreamMark:
        """As it is now; a mark that was made before holds no more."""
        self._former = {}
        return StreamMark(self._last_id, self._former)

    def back_to(self, mark: StreamMark) -> None:
        """As it was at the last mark: what was added since is gone, ids too, and what was touched or weighed is as before."""
        self.remove([number for number in self._row if number > mark.last_id])
        for number, memory in mark.former.items():
            if number in self._row:
                self._put(self._row[number], memory)
        self._last_id = mark.last_id

    def replace_vectors(self, ids: Sequence[int], matrix: Vectors) -> None:
        """Puts vectors of another embedding model in place of all."""
        self._put_vectors(ids, matrix)

    # ---- looking

    def get(self, memory_id: int) -> Memory:
        """Raises UnknownName."""
        try:
            return self._at(self._row[memory_id])
        except KeyError:
            raise UnknownName(f"{self.npc!r} has no memory {memory_id}.", "List the memories to see which there are.") from None

    def latest(self, n: int, kinds: Collection[MemoryKind] | None = None, before_id: int = 0) -> list[Memory]:
        """The newest first; those of some kinds only, and only those made before the memory `before_id` if it is not 0."""
        rows = np.arange(len(self))
        if kinds:
            rows = np.flatnonzero(self._is_one_of(kinds))
        if before_id:
            rows = rows[self._ids[rows] < before_id]
        return [self._at(int(row)) for row in rows[::-1][: max(0, n)]]

    def latest_vectors(self, n: int, without: Collection[MemoryKind] = ()) -> tuple[list[Memory], Vectors]:
        """The latest `n` memories that have a vector, the oldest of them first, and their vectors row for row."""
        rows = np.flatnonzero(self._has_vector[: len(self)] & ~self._is_one_of(without))[-n:]
        return [self._at(int(row)) for row in rows], self._matrix[rows]

    def about(self, name: str, n: int) -> list[Memory]:
        """The newest first, of those whose subject or object is `name`, whatever the case."""
        wanted, found = name.casefold(), list[Memory]()
        for row in range(len(self) - 1, -1, -1):
            if len(found) >= n:
                break
            memory = self._memories[row]
            subject, object_ = self._stored.about(memory) if isinstance(memory, int) else (memory.subject, memory.object)
            if wanted in (subject.casefold(), object_.casefold()):
                found.append(self._at(row))
        return found

    def seen_lately(self, triple: tuple[str, str, str], retention: int) -> bool:
        """Whether one of the latest `retention` observations is of this subject, predicate and object, whatever the case."""
        wanted = tuple(part.casefold() for part in triple)
        lately = self.latest(retention, (MemoryKind.OBSERVATION,))
        return any((m.subject.casefold(), m.predicate.casefold(), m.object.casefold()) == wanted for m in lately)

    def count_by_kind(self) -> dict[MemoryKind, int]:
        """Kinds without a memory are not in it."""
        counts = np.bincount(self._kind[: len(self)], minlength=len(KINDS))
        return {kind: int(count) for kind, count in zip(KINDS, counts, strict=True) if count}

    def without_vector(self) -> list[int]:
        """Ids of the memories that wait for an embedding model."""
        return [int(number) for number in self._ids[: len(self)][~self._has_vector[: len(self)]]]

    # ---- retrieval

    def retrieve(
        self,
        query: Vectors | None,
        now: GameTime,
        k: int,
        weights: Weights,
        decay: float,
        kinds: Collection[MemoryKind] | None = None,
        touch: bool = True,
    ) -> list[ScoredMemory]:
        """The best `k`, best first, the newer of two that score the same.

        `query` is one unit vector, or None when there is none: nothing is relevant then. `decay` is per game hour since the
        last access. The memories are as they were before this access; `touch` sets their last access to `now`.
        """
        n = len(self)
        rows = np.arange(n) if not kinds else np.flatnonzero(self._is_one_of(kinds))
        if k < 1 or not len(rows):
            return []
        recency = normalised(self._recency(now, decay)[rows])
        importance = normalised(self._importance[rows])
        relevance = normalised(self._relevance(query)[rows])
        score = weights.recency * recency + weights.importance * importance + weights.relevance * relevance
        chosen = best(score, self._ids[rows], k)
        found = [
            ScoredMemory(self._at(int(rows[i])), float(score[i]), float(recency[i]), float(importance[i]), float(relevance[i]))
            for i in chosen
        ]
        if touch:
            self.touch([scored.memory.id for scored in found], now)
        return found

    def _recency(self, now: GameTime, decay: float) -> _Floats:
        """By time since the last access, not by rank: what was just used is 1."""
        hours = np.maximum(now - self._last_access[: len(self)], 0) / clock.HOUR
        return np.asarray(np.power(decay, hours), np.float64)

    def _relevance(self, query: Vectors | None) -> _Floats:
        n = len(self)
        if query is None or not self._has_vector[:n].any():
            return np.zeros(n)
        # Rounded, since the same vector in two rows may differ in the last bit, and equals must tie.
        cosine = (self._matrix[:n] @ self._checked(query)).astype(np.float64)
        return np.asarray(np.round(cosine, 6), np.float64)

    def _checked(self, vector: Vectors) -> Vectors:
        flat = np.asarray(vector, np.float32).reshape(-1)
        dimensions = self.dimensions if self._has_vector.any() else len(flat)
        if len(flat) != dimensions or not len(flat) or not np.isfinite(flat).all():
            raise BadInput(
                f"A vector of {len(flat)} numbers does not fit the memories of {self.npc!r}, which have {dimensions}.",
                "Embed all memories with the model in use, and with finite numbers.",
            )
        return flat

    def _at(self, row: int) -> Memory:
        memory = self._memories[row]
        if isinstance(memory, int):
            memory = self._memories[row] = self._stored.made(memory)
        return memory

    def _is_one_of(self, kinds: Collection[MemoryKind]) -> NDArray[np.bool_]:
        return np.asarray(np.isin(self._kind[: len(self)], [KINDS.index(kind) for kind in kinds]), np.bool_)

    def _append(self, memory: Memory) -> int:
        row = len(self._memories)
        self._memories.append(memory)
        self._put(row, memory)
        self._row[memory.id] = row
        self._ids[row] = memory.id
        self._kind[row] = KINDS.index(memory.kind)
        self._last_id = max(self._last_id, memory.id)
        return row

    def _put(self, row: int, memory: Memory) -> None:
        """In place of what is in the row."""
        self._memories[row] = memory
        self._last_access[row], self._importance[row] = memory.last_access, memory.importance

    def _grow(self) -> None:
        """Doubles the capacity, so that n memories are copied n times in all, not n² times."""
        for name in ("_matrix", "_has_vector", "_ids", "_last_access", "_importance", "_kind"):
            column = getattr(self, name)
            setattr(self, name, np.concatenate([column, np.zeros_like(column)]))


def normalised(values: _Floats) -> _Floats:
    """Min-max to [0, 1]; all 0 when all are the same."""
    low, high = values.min(), values.max()
    if not high > low:
        return np.zeros_like(values)
    return np.asarray((values - low) / (high - low), np.float64)


def best(score: _Floats, ids: NDArray[np.int64], k: int) -> list[int]:
    """Indices of the `k` highest scores, highest first; among equals, the highest id."""
    if k < len(score):
        bar = np.partition(score, len(score) - k)[len(score) - k]
        above, level = np.flatnonzero(score > bar), np.flatnonzero(score == bar)
        level = level[np.argsort(-ids[level])][: k - len(above)]
        candidates = np.concatenate([above, level])
    else:
        candidates = np.arange(len(score))
    order = np.lexsort((-ids[candidates], -score[candidates]))
    return [int(i) for i in candidates[order]]
