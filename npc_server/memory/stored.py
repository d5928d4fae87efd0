"""Memories as a save holds them. A mind has thousands and looks at a few hundred, so a record is made when it is asked for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray
from sqlite_utils import Database

from npc_server import clock
from npc_server.errors import SaveDamaged
from npc_server.memory import codec, rows
from npc_server.records import Memory, MemoryKind, MemorySource, NpcId

Row = tuple[Any, ...]
"""Values of `COLUMNS`."""
COLUMNS = tuple(name for name in rows.columns(Memory, without=("evidence", "npc")))
_ID, _KIND, _ACCESS, _IMPORTANCE = (COLUMNS.index(name) for name in ("id", "kind", "last_access", "importance"))
_SOURCE, _SUBJECT, _OBJECT = (COLUMNS.index(name) for name in ("source", "subject", "object"))
KINDS = {kind.value: number for number, kind in enumerate(MemoryKind)}
_KIND_OF = {kind.value: kind for kind in MemoryKind}
_SOURCE_OF = {source.value: source for source in MemorySource}
_NUMBERS = ("id", "created", "last_access", "importance")
_TIMES = ("created", "last_access")


class StoredMemories(Sequence[Memory]):
    """All memories of an NPC in the order of their ids. What is in them was checked when they were read."""

    def __init__(self, npc: NpcId, found: list[Row], evidence: Mapping[int, tuple[int, ...]]) -> None:
        self.npc = npc
        self.rows = found
        self._evidence = evidence

    def made(self, row: Row) -> Memory:
        """The record of one of `rows`."""
        number, kind, text, created, last_access, importance, subject, predicate, object_, source, person, address = row
        kind, source, evidence = _KIND_OF[kind], _SOURCE_OF[source], self._evidence.get(number, ())
        return Memory(
            self.npc, number, kind, text, created, last_access, importance, subject, predicate, object_, source, person, address, evidence
        )

    def ids(self) -> list[int]:
        return [row[_ID] for row in self.rows]

    def numbers(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], NDArray[np.uint8]]:
        """Ids, times of the last access, importance, and kinds as places in MemoryKind."""
        columns = ([row[place] for row in self.rows] for place in (_ID, _ACCESS, _IMPORTANCE))
        ids, access, importance = (np.array(column, np.int64) for column in columns)
        return ids, access, importance.astype(np.float64), np.array([KINDS[row[_KIND]] for row in self.rows], np.uint8)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Memory]:
        return map(self.made, self.rows)

    @overload
    def __getitem__(self, place: int) -> Memory: ...
    @overload
    def __getitem__(self, place: slice) -> list[Memory]: ...
    def __getitem__(self, place: int | slice) -> Memory | list[Memory]:
        return self.made(self.rows[place]) if isinstance(place, int) else [self.made(row) for row in self.rows[place]]


def about(row: Row) -> tuple[str, str]:
    """Subject and object."""
    return row[_SUBJECT], row[_OBJECT]


def load(db: Database, npc: NpcId) -> StoredMemories:
    """Raises SaveDamaged."""
    _check(db, npc)
    evidence: dict[int, list[int]] = defaultdict(list)
    for memory, on in rows.select(db, "SELECT memory, rests_on FROM evidence WHERE npc = ? ORDER BY memory, rests_on", (npc,)):
        evidence[memory].append(on)
    found = rows.select(db, f"SELECT {rows.quoted(COLUMNS)} FROM memories WHERE npc = ? ORDER BY id", (npc,))
    return StoredMemories(npc, found, {memory: tuple(on) for memory, on in evidence.items()})


def _check(db: Database, npc: NpcId) -> None:
    """SQLite keeps a value of any type in any column, and looks through thousands of rows faster than Python does."""
    texts = [name for name in COLUMNS if name not in _NUMBERS]
    right = [
        *(f"typeof({name}) = 'integer'" for name in _NUMBERS),
        *(f"typeof({name}) = 'text'" for name in texts),
        *(f"{name} BETWEEN {-clock.LATEST} AND {clock.LATEST}" for name in _TIMES),
        f"kind IN ({', '.join(repr(kind) for kind in _KIND_OF)})",
        f"source IN ({', '.join(repr(source) for source in _SOURCE_OF)})",
    ]
    wrong = f"SELECT {rows.quoted(COLUMNS)} FROM memories WHERE npc = ? AND NOT ({' AND '.join(right)}) LIMIT 1"
    for row in rows.select(db, wrong, (npc,)):
        memory = rows.record(Memory, ("npc", *COLUMNS), (npc, *row))
        raise SaveDamaged(f"Memory {memory.id} of {npc!r} is of a time that no calendar has.", codec.FIX, npc=npc)
    loose = "typeof(memory) != 'integer' OR typeof(rests_on) != 'integer'"
    if rows.select(db, f"SELECT memory FROM evidence WHERE npc = ? AND ({loose}) LIMIT 1", (npc,)):
        raise SaveDamaged(f"What a memory of {npc!r} rests on does not read.", codec.FIX, npc=npc)
