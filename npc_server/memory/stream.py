"""One NPC's memory stream in RAM, and retrieval from it (Generative Agents, section 4.1). `retrieval_score` computes the score.

Retrieval is exact: numpy scores every memory. 100,000 memories with vectors of 384 numbers take a few milliseconds.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from npc_server.errors import BadInput, UnknownName
from npc_server.memory.lazy_memories import KINDS, LazyMemories
from npc_server.memory.retrieval_score import Weights, best_k, recency, relevance, score
from npc_server.memory.vectors import Vectors
from npc_server.records import GameTime, Memory, MemoryKind, NpcId, ScoredMemory


@dataclass(frozen=True)
class StreamSavepoint:
    """A savepoint of a stream, to which `MemoryStream.roll_back` returns."""

    last_id: int
    """The highest id that was taken at the savepoint."""
    former: dict[int, Memory]
    """Memories that were touched or rated again since, by id, as they were before."""
    removed: dict[int, tuple[Memory, Vectors | None]]
    """Memories that were removed since, by id, with their vectors."""


_COLUMNS = ("_matrix", "_has_vector", "_ids", "_last_access", "_importance", "_kind", "_doubted")
"""The arrays of a stream with one entry for each memory."""
LOOKED_AT = 256
"""Latest memories that are looked at first, when the latest of some kinds are wanted."""


class MemoryStream:
    """The memories of one NPC in the order they were made, and a matrix of their vectors, one row for each memory.

    A memory gets no vector while no embedding model runs, and its relevance is 0. Only one thread at a time may use a stream.
    """

    def __init__(self, npc: NpcId, memories: Sequence[Memory] = (), ids: Sequence[int] = (), matrix: Vectors | None = None) -> None:
        """`ids` and `matrix` come from `memories.load_vectors`: shape (len(ids), dimensions). The stream then owns the matrix."""
        self.npc = npc
        self._memories: list[Memory | int] = []
        """A record, or the row number of a stored memory of which no record was made yet."""
        self._stored: LazyMemories
        self._row: dict[int, int] = {}
        self._last_id = 0
        self._former: dict[int, Memory] = {}
        self._removed: dict[int, tuple[Memory, Vectors | None]] = {}
        """`former` and `removed` of the latest savepoint."""
        size = max(16, len(memories))
        self._matrix: Vectors = np.zeros((size, 0), np.float32)
        self._has_vector = np.zeros(size, np.bool_)
        self._ids = np.zeros(size, np.int64)
        self._last_access = np.zeros(size, np.int64)
        self._importance = np.zeros(size, np.float64)
        self._kind = np.zeros(size, np.uint8)
        self._doubted = np.zeros(size, np.bool_)
        if isinstance(memories, LazyMemories):
            self._take(memories)
        else:
            for memory in memories:
                self._append(memory)
        self._put_vectors(ids, matrix)

    def _take(self, stored: LazyMemories) -> None:
        """Takes in thousands of stored memories at once, without a record for each."""
        n = len(stored)
        self._memories, self._stored = list(range(n)), stored
        self._ids[:n], self._last_access[:n] = stored.ids, stored.last_access
        self._importance[:n], self._kind[:n] = stored.importance, stored.kinds
        self._doubted[:n] = np.fromiter(map(bool, stored.texts["doubt"]), np.bool_, n)
        self._row = dict(zip(stored.ids.tolist(), range(n), strict=True))
        self._last_id = max(self._row, default=0)

    def _put_vectors(self, ids: Sequence[int], matrix: Vectors | None) -> None:
        """Replaces all vectors by the rows of `matrix`. Memories that are not in `ids` have no vector afterwards."""
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
        """How many numbers a vector has; 0 before the first one."""
        return int(self._matrix.shape[1])

    # ---- adding, changing and removing

    def next_id(self) -> int:
        """A new id. It is not given again, even if no memory is made with it."""
        self._last_id += 1
        return self._last_id

    def keep_ids(self, upto: int) -> None:
        """Sees to it that no id up to this one is given again."""
        self._last_id = max(self._last_id, upto)

    def add(self, memory: Memory, vector: Vectors | None = None) -> None:
        """Adds a memory at the end, with its vector of shape (dimensions,).

        Raises BadInput for an id that is taken, for another NPC's memory, and for a vector that has other dimensions or is not finite.
        """
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
        """Removes memories, for example those of a line that a player undoes. Unknown ids are ignored."""
        gone = {number for number in ids if number in self._row}
        if not gone:
            return
        for number in gone:
            row = self._row[number]
            vector = self._matrix[row].copy() if self._has_vector[row] else None
            self._removed[number] = (self._former.get(number) or self._at(row), vector)
        self._keep_rows([row for row, number in enumerate(self._ids[: len(self)].tolist()) if number not in gone])

    def touch(self, ids: Iterable[int], at: GameTime) -> None:
        """Sets the last access of memories, as retrieval does. An earlier time than the last access changes nothing."""
        for number in ids:
            row = self._row.get(number)
            if row is not None and self._last_access[row] < at:
                self._former.setdefault(number, self._at(row))
                self._put(row, replace(self._at(row), last_access=at))

    def set_importance(self, memory_id: int, importance: int) -> None:
        """Sets the importance of a memory, 1 to 10. Raises UnknownName."""
        memory = self.get(memory_id)
        self._former.setdefault(memory_id, memory)
        self._put(self._row[memory_id], replace(memory, importance=importance))

    def edit(self, memory: Memory, vector: Vectors | None = None) -> None:
        """Replaces the memory with the same id, and its vector if one is given. A savepoint does not bring the former one back.

        Raises UnknownName, and BadInput for a vector of other dimensions.
        """
        flat = None if vector is None or not vector.any() else self._checked(vector)
        self.get(memory.id)
        row = self._row[memory.id]
        self._former.pop(memory.id, None)
        self._put(row, memory)
        self._has_vector[row] &= vector is None
        if flat is not None:
            self.give_vectors([memory.id], flat[None])

    def savepoint(self) -> StreamSavepoint:
        """Makes a savepoint of the present state. Earlier savepoints become invalid."""
        self._former, self._removed = {}, {}
        return StreamSavepoint(self._last_id, self._former, self._removed)

    def roll_back(self, to: StreamSavepoint) -> None:
        """Returns to the latest savepoint: what was added is gone and its ids are free; what was touched, rated or removed is as before."""
        self.remove([number for number in self._row if number > to.last_id])
        back = [it for number, it in to.removed.items() if number <= to.last_id]
        to.removed.clear()
        for memory, vector in back:
            self.add(memory, vector)
        if back:
            self._keep_rows(np.argsort(self._ids[: len(self)], kind="stable").tolist())
        for number, memory in to.former.items():
            if number in self._row:
                self._put(self._row[number], memory)
        self._last_id = to.last_id

    def give_vectors(self, ids: Sequence[int], matrix: Vectors) -> None:
        """Gives memories their vectors, shape (len(ids), dimensions). A row of zeros is none, as in the save.

        Raises BadInput for other dimensions and for numbers that are not finite.
        """
        given = [(self._row[number], self._checked(vector)) for number, vector in zip(ids, matrix, strict=True) if vector.any()]
        if given and not self._has_vector.any():
            self._matrix = np.zeros((len(self._ids), matrix.shape[1]), np.float32)
        for row, vector in given:
            self._matrix[row] = vector
            self._has_vector[row] = True

    # ---- reading

    def get(self, memory_id: int) -> Memory:
        """The memory with this id. Raises UnknownName."""
        try:
            return self._at(self._row[memory_id])
        except KeyError:
            raise UnknownName(f"{self.npc!r} has no memory {memory_id}.", "List the memories to see which there are.") from None

    def latest(self, n: int, kinds: Collection[MemoryKind] | None = None, before_id: int = 0) -> list[Memory]:
        """The latest `n` memories, the newest first. `kinds` limits their kinds, and `before_id`, unless 0, gives only lower ids."""
        found, end, block = list[Memory](), len(self), LOOKED_AT
        # The newest are wanted, so rows are looked at from the end. A mind that has lived for years would else go through all of them.
        while end and len(found) < n:
            begin = max(0, end - block)
            fits = np.ones(end - begin, np.bool_) if not kinds else self._is_one_of(kinds, begin, end)
            if before_id:
                fits &= self._ids[begin:end] < before_id
            rows = (np.flatnonzero(fits)[::-1][: n - len(found)] + begin).tolist()
            found += [self._at(row) for row in rows]
            end, block = begin, 4 * block
        return found

    def newest(self, kinds: Collection[MemoryKind]) -> Iterator[Memory]:
        """The memories of some kinds, the newest first. A caller that stops early looks at few of them."""
        wanted = [kind in kinds for kind in KINDS]
        for row in range(len(self) - 1, -1, -1):
            if wanted[self._kind[row]]:
                yield self._at(row)

    def latest_vectors(self, n: int, without: Collection[MemoryKind] = ()) -> tuple[list[Memory], Vectors]:
        """The latest `n` memories that have a vector, the oldest first, and their vectors: shape (len(memories), dimensions).

        Those in doubt are left out.
        """
        known = self._has_vector[: len(self)] & ~self._doubted[: len(self)]
        rows = np.flatnonzero(known & ~self._is_one_of(without))[-n:]
        return [self._at(int(row)) for row in rows], self._matrix[rows]

    def vectors(self, ids: Sequence[int]) -> Vectors:
        """The vectors of memories by id, shape (len(ids), dimensions). One that has none yet is all zeros. Raises KeyError."""
        return self._matrix[[self._row[number] for number in ids]]

    def about(self, name: str, n: int) -> list[Memory]:
        """The latest `n` memories whose subject or object is `name`, the newest first. Case does not matter."""
        wanted, found = name.casefold(), list[Memory]()
        for row in range(len(self) - 1, -1, -1):
            if len(found) >= n:
                break
            memory = self._memories[row]
            subject, object_ = self._stored.about(memory) if isinstance(memory, int) else (memory.subject, memory.object)
            if wanted in (subject.casefold(), object_.casefold()):
                found.append(self._at(row))
        return found

    def keyed(self, key: str) -> list[Memory]:
        """The memories that the game added under this name."""
        if not key:
            return []
        held = enumerate(self._memories)
        rows = [row for row, it in held if (self._stored.texts["key"][it] if isinstance(it, int) else it.key) == key]
        return [self._at(row) for row in rows]

    def seen_lately(self, retention: int) -> set[tuple[str, str, str]]:
        """Subject, predicate and object of the latest `retention` observations, each `casefolded`."""
        lately = self.latest(retention, (MemoryKind.OBSERVATION,))
        return {casefolded((memory.subject, memory.predicate, memory.object)) for memory in lately}

    def everyday(self, kinds: Collection[MemoryKind], importance: int, before: GameTime) -> list[Memory]:
        """Memories of some kinds, up to an importance, that were made before a time and never retrieved since; the oldest first."""
        n = len(self)
        plain = self._is_one_of(kinds) & (self._importance[:n] <= importance) & (self._last_access[:n] < before)
        found = (self._at(int(row)) for row in np.flatnonzero(plain))
        return [memory for memory in found if memory.last_access == memory.created]

    def count_by_kind(self) -> dict[MemoryKind, int]:
        """The number of memories of each kind. Kinds without a memory are left out."""
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
        """The `k` memories with the highest scores, the highest first. Of two equal scores, the newer memory comes first.

        `query` is a unit vector of shape (dimensions,); with None, every relevance is 0. `decay` is the recency factor for each game hour.
        `kinds` limits the candidates. What is in doubt does not come to mind. `touch` sets the last access to `now`, but the returned
        memories show the access before it. Raises BadInput for a query of other dimensions.
        """
        n = len(self)
        sound = ~self._doubted[:n]
        rows = np.flatnonzero(sound if not kinds else sound & self._is_one_of(kinds))
        if k < 1 or not len(rows):
            return []
        if query is not None:
            query = self._checked(query) if self._has_vector[:n].any() else None
        recent, relevant = recency(self._last_access[:n], now, decay), relevance(self._matrix[:n], query)
        scores = score(recent[rows], self._importance[rows], relevant[rows], weights)
        found = [
            ScoredMemory(
                self._at(int(rows[i])),
                float(scores.total[i]),
                float(scores.recency[i]),
                float(scores.importance[i]),
                float(scores.relevance[i]),
            )
            for i in best_k(scores.total, self._ids[rows], k)
        ]
        if touch:
            self.touch([scored.memory.id for scored in found], now)
        return found

    def _checked(self, vector: Vectors) -> Vectors:
        """The vector with shape (dimensions,). Raises BadInput if it does not fit the stream's other vectors."""
        flat = np.asarray(vector, np.float32).reshape(-1)
        dimensions = self.dimensions if self._has_vector.any() else len(flat)
        if len(flat) != dimensions or not len(flat) or not np.isfinite(flat).all():
            raise BadInput(
                f"A vector of {len(flat)} numbers does not fit the memories of {self.npc!r}, which have {dimensions}.",
                "Embed all memories with the model in use, and with finite numbers.",
            )
        return flat

    def _at(self, row: int) -> Memory:
        """The record of a row, made now if there was none yet."""
        memory = self._memories[row]
        if isinstance(memory, int):
            memory = self._memories[row] = self._stored.record(memory)
        return memory

    def _is_one_of(self, kinds: Collection[MemoryKind], begin: int = 0, end: int | None = None) -> NDArray[np.bool_]:
        """Whether the rows from `begin` to `end` are of these kinds. Without an end, all that there are."""
        return _wanted(frozenset(kinds))[self._kind[begin : len(self) if end is None else end]]

    def _keep_rows(self, rows: list[int]) -> None:
        """Keeps these rows, in this order."""
        self._memories = [self._memories[row] for row in rows]
        self._row = {number: row for row, number in enumerate(self._ids[rows].tolist())}
        for name in _COLUMNS:
            column = getattr(self, name)
            column[: len(rows)] = column[rows]
            column[len(rows) :] = 0

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
        """Puts a record into a row."""
        self._memories[row] = memory
        self._last_access[row], self._importance[row], self._doubted[row] = memory.last_access, memory.importance, bool(memory.doubt)

    def _grow(self) -> None:
        """Doubles the capacity, so that n memories are copied n times in all, not n² times."""
        for name in _COLUMNS:
            column = getattr(self, name)
            setattr(self, name, np.concatenate([column, np.zeros_like(column)]))


def casefolded(triple: tuple[str, str, str]) -> tuple[str, str, str]:
    """Subject, predicate and object as they are compared: case does not matter."""
    subject, predicate, object_ = triple
    return subject.casefold(), predicate.casefold(), object_.casefold()


@lru_cache(maxsize=256)
def _wanted(kinds: frozenset[MemoryKind]) -> NDArray[np.bool_]:
    """Whether each of `KINDS` is wanted. Nobody may change it, because it is cached."""
    return np.array([kind in kinds for kind in KINDS], np.bool_)
