"""Stops a long-running command when the process that started it ends."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

import structlog

from npc_server.background import in_background
from npc_server.platform import processes


@contextlib.asynccontextmanager
async def stop_after_process(pid: int | None, stop: asyncio.Event) -> AsyncIterator[None]:
    """Sets `stop` once the process `pid` has ended, even when it ended before. With None there is no such process."""
    if pid is None:
        yield
        return
    async with in_background(_stop_after(pid, stop)):
        yield


async def _stop_after(pid: int, stop: asyncio.Event) -> None:
    await processes.ended(pid)
    structlog.get_logger("npc_server").info("the process that started this server has ended")
    stop.set()
