from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sqlite_utils import Database

from npc_server.errors import SaveError
from npc_server.memory.draft import Draft
from npc_server.memory.retrieval_score import Weights
from npc_server.memory.store import Store
from npc_server.memory.vectors import Vectors
from npc_server.records import Memory, MemoryKind
from tests.memory.streams import load_stream, remember

NPC = "ada"


def memory(number: int, **more: object) -> Memory:
    return Memory(NPC, number, MemoryKind.OBSERVATION, f"thing {number}", 100, 100, 5, **more)  # type: ignore[arg-type]


VECTORS: Vectors = np.eye(3, 4, dtype=np.float32)


async def test_a_touched_memory_is_saved_with_its_last_access(save: Path) -> None:
    """The reference's mistake 2: the last access is never saved."""
    store = await Store.open(save)
    stream = await load_stream(store, NPC)
    await remember(store, stream, [memory(1), memory(2), memory(3)], VECTORS)
    found = stream.retrieve(VECTORS[1], 5000, 1, Weights(0, 0, 1), 0.995)
    assert [s.memory.id for s in found] == [2]
    draft = Draft()
    draft.touch([s.memory.id for s in found], 5000)
    await store.do(lambda db: draft.write(db, NPC, 1))
    await store.close()
    store = await Store.open(save)
    again = await load_stream(store, NPC)
    await store.close()
    assert [m.last_access for m in again.latest(9)] == [100, 5000, 100]
    assert again.get(2) == stream.get(2)


async def test_what_is_loaded_is_what_was_remembered(store: Store) -> None:
    stream = await load_stream(store, NPC)
    await remember(store, stream, [memory(1), memory(2, subject="Ben", evidence=(1,)), memory(3, evidence=(1, 2))], VECTORS)
    again = await load_stream(store, NPC)
    assert again.latest(9) == stream.latest(9)
    assert again.get(3).evidence == (1, 2)
    assert np.array_equal(again.latest_vectors(9)[1], VECTORS)


async def test_a_closed_save_takes_no_memory(store: Store) -> None:
    draft = Draft()
    draft.add_memory(memory(1), VECTORS[0])
    await store.close()
    with pytest.raises(SaveError):
        await store.do(lambda db: draft.write(db, NPC, 1))


async def test_a_forgotten_memory_takes_its_vector_and_its_links_along(store: Store) -> None:
    stream = await load_stream(store, NPC)
    await remember(store, stream, [memory(1), memory(2), memory(3, evidence=(1, 2))], VECTORS)
    draft = Draft()
    draft.forget([1], [])
    await store.do(lambda db: draft.write(db, NPC, 1))
    again = await load_stream(store, NPC)
    assert [m.id for m in again.latest(9)] == [3, 2]
    assert again.get(3).evidence == (2,)

    def left(db: Database) -> list[int]:
        return [db.table(name).count for name in ("memories", "vectors", "evidence")]

    assert await store.do(left) == [2, 2, 1]
