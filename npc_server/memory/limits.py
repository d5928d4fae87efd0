"""Limits how much work reading a save may cause. Saves come from strangers, and a small file can hold an endless query."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event

from npc_server.errors import SaveDamaged, Stopping

MOST_BYTES = 16 * 1024 * 1024
"""Bytes of one value or row. The largest are town and persona files, with at most 4 MB."""
LEAST_STEPS, MOST_STEPS = 5_000_000, 500_000_000
"""Virtual machine instructions of SQLite that reading a file may take. A large file with vectors takes one for each 30 bytes, and a file
with the smallest rows one for each 2 bytes. Two for each byte are allowed. The maximum takes about ten seconds."""
_AT_ONCE = 500_000
"""Instructions between two checks of the limit, about ten milliseconds. Each check needs Python's lock, and a busy thread can hold that
for five."""


class _Budget:
    """Counts SQLite's instructions down, on the thread that runs them."""

    def __init__(self, steps: int, stopping: Event | None) -> None:
        self.left = steps
        self.stopping = stopping

    def __call__(self) -> bool:
        """Whether SQLite must stop the query."""
        self.left -= _AT_ONCE
        return self.left < 0 or self.stopped

    @property
    def stopped(self) -> bool:
        return self.stopping is not None and self.stopping.is_set()


@contextmanager
def limited(connection: sqlite3.Connection, path: Path, stopping: Event | None, name: str) -> Iterator[None]:
    """Stops what `connection` runs when it takes more than a save of the size of `path` can need, or when `stopping` is set.

    Raises SaveDamaged, which names the file `name`, or Stopping.
    """
    steps = min(LEAST_STEPS + 2 * path.stat().st_size, MOST_STEPS)
    budget = _Budget(steps, stopping)
    if budget.stopped:
        raise _stopping()
    connection.set_progress_handler(budget, _AT_ONCE)
    try:
        yield
    except sqlite3.Error as error:
        if budget.stopped:
            raise _stopping() from error
        if budget.left < 0:
            raise SaveDamaged(
                f"{name!r} takes more than {steps} steps to read, which no save of its size does.",
                "Choose another save, or restore this one from a backup.",
                path=path,
            ) from error
        raise
    finally:
        connection.set_progress_handler(None, 0)


def _stopping() -> Stopping:
    return Stopping("The server is stopping.", "Try again when it runs again.")
