"""Group commit: jobs that wait together are written in one transaction, with one sync of the disk.

Each job runs in a savepoint of its own. A job that fails rolls back its own writes and no other's. Jobs change hands in batches: all that
an event loop asks for in one turn wake the store's thread once, and all results of a group wake the loop once.
"""

from __future__ import annotations

import asyncio
import queue
import sqlite3
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from sqlite_utils import Database

from npc_server.memory import database

T = TypeVar("T")


@dataclass(frozen=True)
class StoreJob:
    """A function to run on the store's thread, and the future that gets its result."""

    fn: Callable[[Database], Any]
    result: Future[Any]
    alone: bool = False
    """Whether it runs outside a transaction, after everything queued before it is committed."""
    told: asyncio.Future[Any] | None = None
    """Gets the result in the event loop of the caller, if the caller is a task of one. `tell` sets it."""


def tell(jobs: Iterable[StoreJob]) -> None:
    """Gives the results of finished jobs to the event loops that wait for them. Each loop is woken once."""
    waiting: dict[asyncio.AbstractEventLoop, list[StoreJob]] = {}
    for job in jobs:
        if job.told is not None:
            waiting.setdefault(job.told.get_loop(), []).append(job)
    for loop, its_jobs in waiting.items():
        with suppress(RuntimeError):  # The loop is closed, so nobody waits.
            loop.call_soon_threadsafe(_tell_here, its_jobs)


def _tell_here(jobs: Sequence[StoreJob]) -> None:
    for job in jobs:
        if job.told is None or job.told.done():
            continue  # The caller was cancelled.
        if (error := job.result.exception()) is not None:
            job.told.set_exception(error)
        else:
            job.told.set_result(job.result.result())


class JobQueue:
    """The jobs that wait for the store's thread, in order; None tells the thread to end.

    Any thread may call `put`. Only the store's thread may call the other methods.
    """

    def __init__(self, wait_s: float) -> None:
        """`wait_s` is how many seconds of wall time a group of two or more jobs waits for further ones."""
        self._wait_s = wait_s
        # Not a SimpleQueue: in CPython 3.11 its get() misses a timeout that ends while it looks, and then waits for ever.
        self._queue: queue.Queue[Sequence[StoreJob | None]] = queue.Queue()
        self._held: deque[StoreJob | None] = deque()
        """Taken from the queue and not yet begun."""

    def put(self, jobs: Sequence[StoreJob | None]) -> None:
        """Adds jobs at the end."""
        self._queue.put(jobs)

    def take(self) -> StoreJob | None:
        """Removes and returns the first job. Blocks until there is one."""
        while not self._held:
            self._held.extend(self._queue.get())
        return self._held.popleft()

    def gather(self, first: StoreJob) -> list[StoreJob]:
        """Takes the group that starts with `first`. It ends before a job that must run alone.

        A single job does not wait for others. Otherwise a caller who awaits each write before the next would always pay for the wait.
        """
        group = [first]
        end: float | None = None
        while self._has_more(end):
            job = self._held[0]
            if job is None or job.alone:
                break
            group.append(job)
            self._held.popleft()
            end = time.monotonic() + self._wait_s if end is None else end
        return group

    def gather_waiting(self) -> list[StoreJob]:
        """Takes a group if one is waiting, and else returns an empty list. Never blocks for the first job."""
        job = self._held[0] if self._has_more(None) else None
        if job is None or job.alone:
            return []
        self._held.popleft()
        return self.gather(job)

    def _has_more(self, end: float | None) -> bool:
        """Whether a job is held. If none is, looks into the queue: until the monotonic time `end`, or once if that is None."""
        while not self._held:
            left_s = 0.0 if end is None else end - time.monotonic()
            if end is not None and left_s <= 0:
                return False
            try:
                self._held.extend(self._queue.get(timeout=left_s) if left_s else self._queue.get_nowait())
            except queue.Empty:
                return False
        return True


def write_group(db: Database, jobs: Sequence[StoreJob], path: Path, before_commit: Callable[[], None]) -> list[tuple[StoreJob, Any]]:
    """Runs the jobs in one transaction, each in a savepoint, and commits. Returns the jobs that succeeded, with their values.

    A job that raises is rolled back alone, and its future gets the exception. `before_commit` may raise to stop the commit.
    Raises sqlite3.Error if the file at `path` cannot be written. Then nothing of the group is stored, and the caller closes the connection.
    """
    done: list[tuple[StoreJob, Any]] = []
    db.conn.execute("BEGIN")
    for job in jobs:
        db.conn.execute("SAVEPOINT job")
        try:
            value = _fetched(job.fn(db))
        except Exception as error:
            if isinstance(error, sqlite3.Error) and database.explain(error, path) is not None:
                raise  # The file is at fault, not the job, so no job's writes can be trusted.
            db.conn.execute("ROLLBACK TO job")
            db.conn.execute("RELEASE job")
            job.result.set_exception(error)
        else:
            db.conn.execute("RELEASE job")
            done.append((job, value))
    before_commit()
    db.conn.execute("COMMIT")
    return done


def _fetched(value: T) -> T:
    if isinstance(value, Iterator):
        raise TypeError("A store job returned an iterator, which would read after its transaction: fetch the rows first.")
    return value
