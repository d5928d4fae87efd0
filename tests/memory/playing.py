"""Slots with two people, and what is played of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from npc_server.memory import memories, meta, people
from npc_server.memory.slots import Slots
from npc_server.memory.store import Store
from npc_server.records import Memory, MemoryKind, Perception, PerceptionKind

SEEN = Perception("ada", PerceptionKind.PERSON, "ben", "waves", "town", 1.0, 5)


def fill(db: object) -> None:
    meta.write(db, town="Millbrook", seed=7, now=1000)  # type: ignore[arg-type]
    people.insert(db, [people.Person("ada", "Ada Moss"), people.Person("ben", "Ben Hale")])  # type: ignore[arg-type]


@pytest.fixture
def slots(tmp_path: Path) -> Slots:
    return Slots(tmp_path / "saves")


def memory(number: int) -> Memory:
    return Memory("ada", number, MemoryKind.OBSERVATION, f"thing {number}", 1, 1, 3)


def played(path: Path, work: Callable[[Store], object]) -> None:
    """Opens a store on a working copy, does something, and closes it."""

    async def play() -> None:
        store = await Store.open(path)
        try:
            await work(store)  # type: ignore[misc]
        finally:
            await store.close()

    asyncio.run(play())


def remember(number: int) -> Callable[[Store], object]:
    return lambda store: store.do(lambda db: memories.insert(db, [memory(number)]))


def save(slots: Slots, playing: str, slot: str) -> Callable[[Store], object]:
    return lambda store: asyncio.to_thread(slots.save, store.copy, playing, slot, 1234)


def names(slots: Slots) -> set[str]:
    return {path.name for path in slots.folder.iterdir() if not path.name.endswith(".lock")}
