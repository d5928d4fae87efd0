"""How much work a file may cause. Saves come from strangers, and a small one can hold a query without end."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event

from npc_server.errors import SaveDamaged, Stopping

MOST_BYTES = 16 * 1024 * 1024
"""Of one value or row; a file of a town or persona has at most 4 MB."""
LEAST_STEPS, MOST_STEPS = 5_000_000, 500_000_000
"""Instructions of SQLite. Reading a save through takes one for each 30 bytes of a large file with vectors, and one for each 2 bytes of
one with the smallest rows; two for each byte are allowed. The most is some ten seconds."""
_AT_ONCE = 500_000
"""Instructions between two looks at the count and the flag: some ten milliseconds. Each look needs Python's lock, for which a busy
thread lets others wait five."""


class _Budget:
    """Counts instructions down, on the thread that runs them."""

    def __init__(self, steps: int, stopping: Event | None) -> None:
        self.left = steps
        self.stopping = stopping

    def __call__(self) -> bool:
        """Whether to break off."""
        self.left -= _AT_ONCE
        return self.left < 0 or self.stopped

    @property
    def stopped(self) -> bool:
        return self.stopping is not None and self.stopping.is_set()


@contextmanager
def limited(connection: sqlite3.Connection, path: Path, stopping: Event | None, name: str) -> Iterator[None]:
    """Breaks off what `connection` runs when it takes more than a save of the size of `path` can need, or `stopping` is set.

    Raises SaveDamaged about `name`, or Stopping, then.
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
                "Choose another save, or bring this one back from a copy.",
                path=path,
            ) from error
        raise
    finally:
        connection.set_progress_handler(None, 0)


def _stopping() -> Stopping:
    return Stopping("The server is going down.", "Ask again when it is back.")
