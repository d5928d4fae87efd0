"""Changes of the stream in RAM and on disk together: when the write fails, RAM stays as it was."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from npc_server.memory import memories
from npc_server.memory.memories import Vectors
from npc_server.memory.store import Store
from npc_server.memory.stream import MemoryStream, Weights
from npc_server.records import GameTime, Memory, MemoryKind, NpcId, ScoredMemory


async def load_stream(store: Store, npc: NpcId) -> MemoryStream:
    """The NPC's stream as the save has it. Raises SaveDamaged."""
    kept, (ids, matrix) = await store.do(lambda db: (memories.load(db, npc), memories.load_vectors(db, npc)))
    return MemoryStream(npc, kept, ids, matrix)


async def retrieve_and_touch(
    store: Store,
    stream: MemoryStream,
    query: Vectors | None,
    now: GameTime,
    k: int,
    weights: Weights,
    decay: float,
    kinds: Collection[MemoryKind] | None = None,
) -> list[ScoredMemory]:
    """As `MemoryStream.retrieve`, with the access on disk before it is in RAM."""
    found = stream.retrieve(query, now, k, weights, decay, kinds, touch=False)
    ids = [scored.memory.id for scored in found]
    if ids:
        await store.do(lambda db: memories.touch(db, stream.npc, ids, now))
        stream.touch(ids, now)
    return found


async def remember(store: Store, stream: MemoryStream, made: Sequence[Memory], vectors: Vectors | None) -> None:
    """Stores memories and adds them to the stream. `vectors` has a row for each."""
    await store.do(lambda db: memories.insert(db, made, vectors))
    for i, memory in enumerate(made):
        stream.add(memory, None if vectors is None else np.asarray(vectors[i], np.float32))


async def forget(store: Store, stream: MemoryStream, ids: Sequence[int]) -> None:
    """Forgets memories, e.g. of an undone line."""
    await store.do(lambda db: memories.delete(db, stream.npc, ids))
    stream.remove(ids)
