from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sqlite_utils import Database

from npc_server.errors import SaveError
from npc_server.memory.memories import Vectors
from npc_server.memory.retrieval import forget, load_stream, remember, retrieve_and_touch
from npc_server.memory.store import Store
from npc_server.memory.stream import Weights
from npc_server.records import Memory, MemoryKind

NPC = "ada"


def memory(number: int, **more: object) -> Memory:
    return Memory(NPC, number, MemoryKind.OBSERVATION, f"thing {number}", 100, 100, 5, **more)  # type: ignore[arg-type]


VECTORS: Vectors = np.eye(3, 4, dtype=np.float32)


async def test_a_touched_memory_is_saved_with_its_last_access(save: Path) -> None:
    """The reference's mistake 2: the last access is never saved."""
    store = await Store.open(save)
    stream = await load_stream(store, NPC)
    await remember(store, stream, [memory(1), memory(2), memory(3)], VECTORS)
    found = await retrieve_and_touch(store, stream, VECTORS[1], 5000, 1, Weights(0, 0, 1), 0.995)
    assert [s.memory.id for s in found] == [2]
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
    assert again.similar(VECTORS[2], 1) == 1.0


async def test_memory_in_ram_stays_as_it_was_when_the_write_fails(store: Store) -> None:
    stream = await load_stream(store, NPC)
    await remember(store, stream, [memory(1)], VECTORS[:1])
    await store.close()
    with pytest.raises(SaveError):
        await retrieve_and_touch(store, stream, VECTORS[0], 5000, 1, Weights(), 0.995)
    with pytest.raises(SaveError):
        await remember(store, stream, [memory(2)], VECTORS[1:2])
    with pytest.raises(SaveError):
        await forget(store, stream, [1])
    assert stream.latest(9) == [memory(1)]


async def test_a_forgotten_memory_takes_its_vector_and_its_links_along(store: Store) -> None:
    stream = await load_stream(store, NPC)
    await remember(store, stream, [memory(1), memory(2), memory(3, evidence=(1, 2))], VECTORS)
    await forget(store, stream, [1])
    assert [m.id for m in stream.latest(9)] == [3, 2]
    again = await load_stream(store, NPC)
    assert again.get(3).evidence == (2,)

    def left(db: Database) -> list[int]:
        return [db.table(name).count for name in ("memories", "vectors", "evidence")]

    assert await store.do(left) == [2, 2, 1]
