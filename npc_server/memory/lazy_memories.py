"""Loads memories lazily. A mind has thousands and uses a few hundred, so each becomes a record only when it is used.

Until then they are columns of arrays and lists. Thousands of records would be as many objects for Python's garbage collector to scan.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray
from sqlite_utils import Database

from npc_server import clock
from npc_server.errors import SaveDamaged
from npc_server.memory import codec, rows
from npc_server.records import Memory, MemoryKind, MemorySource, MemoryTopic, NpcId

COLUMNS = tuple(name for name in rows.columns(Memory, without=("evidence", "npc")))
KINDS = tuple(MemoryKind)
_SOURCES = tuple(MemorySource)
_TOPICS = tuple(MemoryTopic)
_KIND_AT = {kind.value: place for place, kind in enumerate(KINDS)}
_SOURCE_AT = {source.value: place for place, source in enumerate(_SOURCES)}
_TOPIC_AT = {topic.value: place for place, topic in enumerate(_TOPICS)}
_NUMBERS = frozenset({"id", "created", "last_access", "importance"})
_TIMES = ("created", "last_access")


@dataclass(frozen=True)
class LazyMemories(Sequence[Memory]):
    """All memories of an NPC, ordered by id. Their values were checked when they were loaded. Each array has the shape (n,)."""

    npc: NpcId
    ids: NDArray[np.int64]
    kinds: NDArray[np.uint8]
    """Indices into KINDS."""
    created: NDArray[np.int64]
    last_access: NDArray[np.int64]
    importance: NDArray[np.int64]
    sources: NDArray[np.uint8]
    topics: NDArray[np.uint8]
    texts: Mapping[str, list[str]]
    """The other columns, by name."""
    evidence: Mapping[int, tuple[int, ...]]
    """Ids of a memory's evidence, by the memory's id."""

    def record(self, place: int) -> Memory:
        """The memory at an index."""
        number = int(self.ids[place])
        return Memory(
            npc=self.npc,
            id=number,
            kind=KINDS[self.kinds[place]],
            created=int(self.created[place]),
            last_access=int(self.last_access[place]),
            importance=int(self.importance[place]),
            source=_SOURCES[self.sources[place]],
            evidence=self.evidence.get(number, ()),
            topic=_TOPICS[self.topics[place]],
            **{name: column[place] for name, column in self.texts.items()},
        )

    def about(self, place: int) -> tuple[str, str]:
        """Subject and object of the memory at an index, without making its record."""
        return self.texts["subject"][place], self.texts["object"][place]

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[Memory]:
        return map(self.record, range(len(self)))

    @overload
    def __getitem__(self, place: int) -> Memory: ...
    @overload
    def __getitem__(self, place: slice) -> list[Memory]: ...
    def __getitem__(self, place: int | slice) -> Memory | list[Memory]:
        return self.record(place) if isinstance(place, int) else [self.record(it) for it in range(len(self))[place]]


def load(db: Database, npc: NpcId) -> LazyMemories:
    """All memories of an NPC. Raises SaveDamaged if one of them cannot be read."""
    columns = _columns(db, npc)
    if not _sound(columns):
        raise _damage(npc, columns)
    ids, created, last_access, importance = (np.array(columns[name], np.int64) for name in ("id", "created", "last_access", "importance"))
    kinds = np.array([_KIND_AT[kind] for kind in columns["kind"]], np.uint8)
    sources = np.array([_SOURCE_AT[source] for source in columns["source"]], np.uint8)
    topics = np.array([_TOPIC_AT[topic] for topic in columns["topic"]], np.uint8)
    texts = {name: column for name, column in columns.items() if name not in _NUMBERS | {"kind", "source", "topic"}}
    return LazyMemories(npc, ids, kinds, created, last_access, importance, sources, topics, texts, _evidence(db, npc))


def _columns(db: Database, npc: NpcId) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    sql = f"SELECT {rows.quoted(COLUMNS)} FROM memories WHERE npc = ? ORDER BY id"
    for part in rows.in_parts(db, sql, (npc,)):
        for column, values in zip(found.values(), zip(*part, strict=True), strict=True):
            column.extend(values)
    return found


def _sound(columns: Mapping[str, list[Any]]) -> bool:
    """Whether all values have the right types and ranges. SQLite itself keeps a value of any type in any column."""
    typed = all(set(map(type, column)) <= {int if name in _NUMBERS else str} for name, column in columns.items())
    return (
        typed
        and _KIND_AT.keys() >= set(columns["kind"])
        and _SOURCE_AT.keys() >= set(columns["source"])
        and _TOPIC_AT.keys() >= set(columns["topic"])
        and all(_in_calendar(it) for name in _TIMES for it in (min(columns[name], default=0), max(columns[name], default=0)))
    )


def _in_calendar(time: int) -> bool:
    return -clock.LATEST <= time <= clock.LATEST


def _damage(npc: NpcId, columns: Mapping[str, list[Any]]) -> SaveDamaged:
    """The error that names the first damaged memory."""
    for row in zip(*columns.values(), strict=True):
        try:
            memory = rows.record(Memory, ("npc", *columns), (npc, *row))
        except SaveDamaged as error:
            return error
        if not all(_in_calendar(getattr(memory, name)) for name in _TIMES):
            return SaveDamaged(f"Memory {memory.id} of {npc!r} has a time outside the calendar.", codec.FIX, npc=npc)
    return SaveDamaged(f"The memories of {npc!r} cannot be read.", codec.FIX, npc=npc)


def _evidence(db: Database, npc: NpcId) -> dict[int, tuple[int, ...]]:
    """The evidence of each insight, by its id. Raises SaveDamaged."""
    loose = "typeof(memory) != 'integer' OR typeof(rests_on) != 'integer'"
    if rows.select(db, f"SELECT memory FROM evidence WHERE npc = ? AND ({loose}) LIMIT 1", (npc,)):
        raise SaveDamaged(f"The evidence of a memory of {npc!r} cannot be read.", codec.FIX, npc=npc)
    found: dict[int, list[int]] = defaultdict(list)
    for memory, on in rows.select(db, "SELECT memory, rests_on FROM evidence WHERE npc = ? ORDER BY memory, rests_on", (npc,)):
        found[memory].append(on)
    return {memory: tuple(on) for memory, on in found.items()}
