"""Working copies as a session takes them up: at their epoch, and in their place."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from npc_server.memory import files
from npc_server.memory.slots import Slots
from npc_server.memory.store import Store
from npc_server.memory.working_copy import WorkingCopy, open_store


def opened(slots: Slots, slot: str, resume_epoch: int = 0, discard_unsaved: bool = False) -> WorkingCopy:
    return asyncio.run(in_place(slots.open_working_copy(slot, resume_epoch, discard_unsaved)))


def loaded(slots: Slots, playing: str, slot: str) -> WorkingCopy:
    return asyncio.run(in_place(slots.load(playing, slot)))


async def snapshot(store: Store, target: Path) -> None:
    """Copies what is played to a slot, as saving does."""
    await asyncio.to_thread(files.snapshot, store.copy, target)


async def in_place(copy: WorkingCopy) -> WorkingCopy:
    store = await open_store(copy, 0)
    try:
        await store.move(copy.place)
    finally:
        await store.close()
    return replace(copy, path=copy.place)
