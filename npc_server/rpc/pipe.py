"""A bounded queue between tasks of one event loop."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Generic, TypeVar

T = TypeVar("T")


class Pipe(Generic[T]):
    """`put` waits while the pipe is full. `put_newest` never waits: it leaves one item at the end, which the next one replaces."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._items: deque[T] = deque()
        self._newest: T | None = None
        self._closed = False
        self._error: BaseException | None = None
        self._filled = asyncio.Event()
        self._drained = asyncio.Event()

    async def put(self, item: T) -> bool:
        """Adds an item. Returns False, and does not take the item, when the pipe is closed."""
        while len(self._items) >= self._limit and not self._closed:
            self._drained.clear()
            await self._drained.wait()
        if self._closed:
            return False
        self._items.append(item)
        self._filled.set()
        return True

    def put_newest(self, item: T) -> None:
        """Leaves an item at the end. It replaces the one left before, unless that was fetched."""
        if not self._closed:
            self._newest = item
            self._filled.set()

    def close(self, error: BaseException | None = None, *, discard: bool = False) -> None:
        """Takes no more items. Those inside can still be fetched, unless `discard` drops them. Then `drain` raises `error`, if any."""
        if not self._closed:
            self._closed, self._error = True, error
        if discard:
            self._items.clear()
            self._newest = None
        self._filled.set()
        self._drained.set()

    async def drain(self) -> list[T]:
        """Waits for at least one item, and returns all. Returns an empty list, or raises the error of `close`, after the last."""
        while not self._items and self._newest is None:
            if self._closed:
                if self._error is not None:
                    raise self._error
                return []
            self._filled.clear()
            await self._filled.wait()
        found = list(self._items) if self._newest is None else [*self._items, self._newest]
        self._newest = None
        self._items.clear()
        self._drained.set()
        return found
