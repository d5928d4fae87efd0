"""A bounded pipe between tasks of one event loop."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Generic, TypeVar

T = TypeVar("T")


class Pipe(Generic[T]):
    """Who puts waits while it is full. One item, the newest of its kind, may be left at the end without waiting."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._items: deque[T] = deque()
        self._newest: T | None = None
        self._closed = False
        self._error: BaseException | None = None
        self._filled = asyncio.Event()
        self._drained = asyncio.Event()

    async def put(self, item: T) -> bool:
        """False when the pipe is closed; then the item was not taken."""
        while len(self._items) >= self._limit and not self._closed:
            self._drained.clear()
            await self._drained.wait()
        if self._closed:
            return False
        self._items.append(item)
        self._filled.set()
        return True

    def put_newest(self, item: T) -> None:
        """Replaces the one left before and not yet fetched: never waits, never grows."""
        if not self._closed:
            self._newest = item
            self._filled.set()

    def close(self, error: BaseException | None = None, *, discard: bool = False) -> None:
        """No more comes in. What is in it can still be fetched unless it is discarded; then `error`, if any, is raised."""
        if not self._closed:
            self._closed, self._error = True, error
        if discard:
            self._items.clear()
            self._newest = None
        self._filled.set()
        self._drained.set()

    async def drain(self) -> list[T]:
        """Everything there is, at least one item; empty at the end."""
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
