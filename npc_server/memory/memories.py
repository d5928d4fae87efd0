"""The memory stream on disk (Generative Agents, section 4.1): memories, their vectors, and the evidence of insights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from sqlite_utils import Database

from npc_server.errors import BadInput
from npc_server.memory import lazy_memories, rows
from npc_server.memory.vectors import Vectors, read_same_length, read_sound, to_bytes
from npc_server.records import GameTime, Memory, NpcId

_COLUMNS = rows.columns(Memory, without=("evidence",))


def insert(db: Database, memories: Sequence[Memory], vectors: Vectors | None = None) -> None:
    """Stores memories with their evidence and, in the same order, their vectors: shape (len(memories), dimensions).

    A row of zeros is not stored, since there was no embedding model. Raises BadInput for another shape and for numbers that are not finite.
    """
    if vectors is not None and (vectors.ndim != 2 or len(vectors) != len(memories)):
        raise BadInput(f"{len(memories)} memories came with vectors of shape {vectors.shape}.", "Give one row for each memory.")
    rows.insert(db, "memories", _COLUMNS, [rows.values(memory, _COLUMNS) for memory in memories])
    evidence = [(m.npc, m.id, on) for m in memories for on in dict.fromkeys(m.evidence)]
    rows.insert(db, "evidence", ("npc", "memory", "rests_on"), evidence)
    if vectors is not None:
        _put_vectors(db, [(m.npc, m.id) for m in memories], vectors)


def load(db: Database, npc: NpcId) -> list[Memory]:
    """All memories of an NPC with their evidence, ordered by id. For thousands, use `lazy_memories.load`. Raises SaveDamaged."""
    return list(lazy_memories.load(db, npc))


def load_vectors(db: Database, npc: NpcId) -> tuple[list[int], Vectors]:
    """The ids of an NPC's memories that have a vector, and the vectors: shape (len(ids), dimensions).

    A damaged vector is left out; see `vectors.read_sound`.
    """
    sql, ids = "SELECT id, vector FROM vectors WHERE npc = ? ORDER BY id", list[int]()

    def blobs() -> Iterator[list[object]]:
        for part in rows.in_parts(db, sql, (npc,)):
            ids.extend(number for number, _ in part)
            yield [blob for _, blob in part]

    matrix = read_same_length(blobs())
    if matrix is not None:
        return ids, matrix
    return _sound_vectors(rows.select(db, sql, (npc,)))


def _sound_vectors(found: Sequence[tuple[int, object]]) -> tuple[list[int], Vectors]:
    places, sound = read_sound([blob for _, blob in found])
    ids = [number for number, _ in found]
    return ids if len(places) == len(ids) else [ids[place] for place in places], sound


def replace_vectors(db: Database, npc: NpcId, ids: Sequence[int], vectors: Vectors) -> None:
    """Replaces all vectors of an NPC by those of another embedding model: shape (len(ids), dimensions)."""
    db.execute("DELETE FROM vectors WHERE npc = ?", (npc,))
    _put_vectors(db, [(npc, number) for number in ids], vectors)


def put_vectors(db: Database, npc: NpcId, ids: Sequence[int], vectors: Vectors) -> None:
    """Stores the vectors of memories that had none, or a damaged one: shape (len(ids), dimensions)."""
    _put_vectors(db, [(npc, number) for number in ids], vectors, "INSERT OR REPLACE")


def touch(db: Database, npc: NpcId, ids: Sequence[int], at: GameTime) -> None:
    """Sets the last access of memories, as retrieval does. An earlier time than the last access changes nothing."""
    sql = "UPDATE memories SET last_access = MAX(last_access, ?) WHERE npc = ? AND id = ?"
    db.conn.executemany(sql, [(at, npc, number) for number in ids])


def set_importance(db: Database, npc: NpcId, importance: Mapping[int, int]) -> None:
    """Sets the importance of memories by their ids."""
    sql = "UPDATE memories SET importance = ? WHERE npc = ? AND id = ?"
    db.conn.executemany(sql, [(value, npc, number) for number, value in importance.items()])


def edit(db: Database, memory: Memory, vector: Vectors | None = None) -> None:
    """Replaces what a memory says and how much it matters, and its vector, shape (dimensions,), if one is given."""
    db.execute(
        "UPDATE memories SET text = ?, object = ?, importance = ?, doubt = ? WHERE npc = ? AND id = ?",
        (memory.text, memory.object, memory.importance, memory.doubt, memory.npc, memory.id),
    )
    if vector is not None:
        db.execute("DELETE FROM vectors WHERE npc = ? AND id = ?", (memory.npc, memory.id))
        _put_vectors(db, [(memory.npc, memory.id)], np.asarray(vector, np.float32).reshape(1, -1))


def delete(db: Database, npc: NpcId, ids: Sequence[int]) -> None:
    """Deletes memories, their vectors, and their role as evidence of others."""
    db.conn.executemany("DELETE FROM memories WHERE npc = ? AND id = ?", [(npc, number) for number in ids])


def _put_vectors(db: Database, keys: Sequence[tuple[NpcId, int]], vectors: Vectors, verb: str = "INSERT") -> None:
    if len(vectors) and not np.isfinite(vectors).all():
        raise BadInput("A vector holds a number that is not finite.", "Embed the text again.")
    # Zeros mean that no embedding model was running. The memory gets its vector when the save is opened again.
    stored = [(npc, number, to_bytes(row)) for (npc, number), row in zip(keys, vectors, strict=True) if row.any()]
    rows.insert(db, "vectors", ("npc", "id", "vector"), stored, verb)
