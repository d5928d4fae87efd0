from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from npc_server.memory import meta
from npc_server.memory.create import create
from npc_server.memory.store import Store
from tests.disks import small_disk

__all__ = ["small_disk"]


@pytest_asyncio.fixture
async def save(tmp_path: Path) -> Path:
    path = tmp_path / "town.npcsave"
    create(path, lambda db: meta.write(db, town="Millbrook", seed=7, epoch=1, now=1000))
    return path


@pytest_asyncio.fixture
async def store(save: Path) -> AsyncIterator[Store]:
    opened = await Store.open(save)
    yield opened
    await opened.close()
