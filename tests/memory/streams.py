"""What tests write into a store: rows, and memories that change RAM and disk together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sqlite_utils import Database

from npc_server.memory import memories
from npc_server.memory.store import Store
from npc_server.memory.stream import MemoryStream
from npc_server.memory.vectors import Vectors
from npc_server.records import Memory, NpcId


async def load_stream(store: Store, npc: NpcId) -> MemoryStream:
    """The NPC's stream as the save has it."""
    kept, (ids, matrix) = await store.do(lambda db: (memories.load(db, npc), memories.load_vectors(db, npc)))
    return MemoryStream(npc, kept, ids, matrix)


async def remember(store: Store, stream: MemoryStream, made: Sequence[Memory], vectors: Vectors) -> None:
    """`vectors` has a row for each memory."""
    await store.do(lambda db: memories.insert(db, made, vectors))
    for i, memory in enumerate(made):
        stream.add(memory, np.asarray(vectors[i], np.float32))


def put(db: Database, key: str) -> str:
    """Writes a row with this key. It stands for what a job writes."""
    db.execute("INSERT INTO meta (key, value) VALUES (?, '1')", (key,))
    return key
