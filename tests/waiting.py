"""Tests wait for the condition itself. The limit only ends one that would wait for ever: no machine is so busy."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

LIMIT_S = 300.0


async def until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + LIMIT_S
    while not condition():
        assert time.monotonic() < end, "it did not come to pass"
        await asyncio.sleep(0.005)


def wait_until(condition: Callable[[], object]) -> None:
    """For tests without an event loop."""
    end = time.monotonic() + LIMIT_S
    while not condition():
        assert time.monotonic() < end, "it did not come to pass"
        time.sleep(0.02)
