"""Stops a long-running command on Ctrl-C or SIGTERM, or when the process that started it ends."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator, Iterator

import structlog

from npc_server.background import in_background

PARENT_POLL_S = 0.5
"""Wall seconds between two looks at the parent, on systems that do not report the end of another's child."""


@contextlib.contextmanager
def stop_on_signals(stop: asyncio.Event) -> Iterator[None]:
    """Ctrl-C and SIGTERM set `stop`. A second one ends the process at once."""
    loop = asyncio.get_running_loop()
    handled: list[signal.Signals] = []

    def on_first() -> None:
        stop.set()
        for number in handled:
            loop.remove_signal_handler(number)

    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError, RuntimeError):  # the event loop of Windows, or not the main thread
            loop.add_signal_handler(number, on_first)
            handled.append(number)
    try:
        yield
    finally:
        for number in handled:
            loop.remove_signal_handler(number)


@contextlib.asynccontextmanager
async def stop_after_process(pid: int | None, stop: asyncio.Event) -> AsyncIterator[None]:
    """Sets `stop` once the process `pid` has ended, even when it ended before. With None there is no such process."""
    if pid is None:
        yield
        return
    async with in_background(_stop_after(pid, stop)):
        yield


async def _stop_after(pid: int, stop: asyncio.Event) -> None:
    await process_end(pid)
    structlog.get_logger("npc_server").info("the process that started this server has ended")
    stop.set()


async def process_end(pid: int) -> None:
    """Waits until a process has ended. A zombie counts as ended where the system reports it."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    except (AttributeError, OSError):  # this is not Linux, or it is an old one, or it does not allow this
        while _runs(pid):  # noqa: ASYNC110  nothing reports the end of the process
            await asyncio.sleep(PARENT_POLL_S)
        return
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(handle, ended.set)
    try:
        await ended.wait()
    finally:
        loop.remove_reader(handle)
        os.close(handle)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
