"""One save, one connection, one thread: the only writer, in group commits.

All jobs that queue while the writer works share one transaction and one sync of the disk, so full durability costs
little; each runs in a savepoint of its own, so one that fails takes back its own writes and no other's.
"""

from __future__ import annotations

import asyncio
import queue
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from sqlite_utils import Database

from npc_server.errors import SaveError
from npc_server.memory import database, files

T = TypeVar("T")
PAGES_AT_ONCE = 256
"""Pages of 4 KiB that a copy takes before it looks what is to be written: a millisecond or two."""


@dataclass(frozen=True)
class _Job:
    fn: Callable[[Database], Any]
    result: Future[Any]
    alone: bool = False
    """Runs outside a transaction, after everything queued before it is committed."""


class Store:
    """An open save. Made by `open`; every method may be called from any task of any event loop.

    A caller that is cancelled before its job began takes the job back; a job that began is committed all the same.
    """

    def __init__(self, path: Path, commit_wait_ms: float, checked: bool = False) -> None:
        self.path = path
        self._checked = checked
        self._wait_s = commit_wait_ms / 1000
        # Not a SimpleQueue: in CPython 3.11 its get() misses a timeout that ends while it looks, and then waits for ever.
        self._jobs: queue.Queue[_Job | None] = queue.Queue()
        self._gate = threading.Lock()
        self._closed = False
        self._db: Database | None = None
        self._held: deque[_Job | None] = deque()
        """Taken from the queue and not yet begun."""
        self._inode = 0
        """Of the file that is open."""
        # A daemon, so that a program that forgets to close ends anyway; the file is sound at every moment.
        self._thread = threading.Thread(target=self._run, name=f"store {path.name}", daemon=True)

    @classmethod
    async def open(cls, path: Path, commit_wait_ms: float = 2.0, checked: bool = False) -> Store:
        """Opens an existing save and brings it to the newest version. One that was just found sound is `checked`.

        Raises SaveNotFound, SaveInUse, SaveTooNew or SaveDamaged, and leaves the file as it was.
        """
        store = cls(path, commit_wait_ms, checked)
        store._thread.start()
        try:
            await store.alone(lambda db: None)
        except BaseException:
            store._stop()
            raise
        return store

    async def do(self, fn: Callable[[Database], T]) -> T:
        """Runs `fn` on the store's thread and returns after its writes are on the disk.

        `fn` must fetch what it reads and not commit. Raises what `fn` raises, and SaveFull or another SaveError when the
        group could not be written; then none of it is.
        """
        return await self._submit(fn)

    async def alone(self, fn: Callable[[Database], T]) -> T:
        """Runs `fn` on the store's thread outside a transaction, after everything queued before it is committed."""
        return await self._submit(fn, alone=True)

    def copy(self, fresh: Path) -> None:
        """Copies the save to `fresh`, a new file, while writes go on: it holds what is committed when this returns.

        Blocks: call it from a thread. Raises SaveFull, SaveError.
        """
        self._queue(lambda db: self._copy(db, fresh), alone=True).result()

    async def move(self, target: Path) -> None:
        """Renames the save to `target`, in place of what is there, at once or not at all. Goes on there.

        Nobody may have `target` open. Raises SaveError, and SaveFull when there is no room for what is still in the log.
        """
        await self.alone(lambda db: self._move(target))

    async def close(self) -> None:
        """Commits what is queued, checkpoints and lets the file go. A second call does nothing."""
        self._stop()
        await asyncio.to_thread(self._thread.join)

    async def _submit(self, fn: Callable[[Database], T], alone: bool = False) -> T:
        return await asyncio.wrap_future(self._queue(fn, alone))

    def _queue(self, fn: Callable[[Database], T], alone: bool = False) -> Future[T]:
        result: Future[T] = Future()
        with self._gate:
            if self._closed:
                raise SaveError(f"The save {self.path.name!r} is closed.", "Open it again.", path=self.path)
            self._jobs.put(_Job(fn, result, alone))
        return result

    def _stop(self) -> None:
        with self._gate:
            if not self._closed:
                self._closed = True
                self._jobs.put(None)

    # ---- on the store's own thread

    def _run(self) -> None:
        while True:
            job = self._held.popleft() if self._held else self._jobs.get()
            if job is None:
                break
            if job.alone:
                self._run_alone(job)
            else:
                self._commit(self._gather(job))
        self._drop()

    def _gather(self, first: _Job) -> list[_Job]:
        """The group that starts with `first`, up to a job that must run after it.

        A lone job is not kept waiting: whoever awaits each write before the next would pay for nothing.
        """
        group = [first]
        end: float | None = None
        while not self._held:
            try:
                job = self._jobs.get_nowait() if end is None else self._jobs.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                break
            if job is None or job.alone:
                self._held.append(job)
                break
            group.append(job)
            if end is None:
                end = time.monotonic() + self._wait_s
            elif time.monotonic() >= end:
                break
        return group

    def _copy(self, db: Database, fresh: Path) -> None:
        """SQLite's backup, some pages at a time; what this connection writes in between goes into the copy, too."""
        with closing(database.connect(fresh, "rwc")) as copied:
            # It is synced as a whole before it gets its name, and thrown away if anything fails.
            copied.execute("PRAGMA journal_mode = OFF")
            copied.execute("PRAGMA synchronous = OFF")
            db.conn.backup(copied, pages=PAGES_AT_ONCE, progress=self._serve, sleep=0)

    def _serve(self, status: int, remaining: int, total: int) -> None:
        """Commits one group of what came in the meantime. Raises when that failed: the connection is not to be trusted then."""
        if self._held:
            return
        try:
            job = self._jobs.get_nowait()
        except queue.Empty:
            return
        if job is None or job.alone:
            self._held.append(job)
            return
        self._commit(self._gather(job))
        if self._db is None:
            raise SaveError(f"{self.path.name!r} could not be written while it was copied.", "Save again.", path=self.path)

    def _commit(self, group: list[_Job]) -> None:
        running = [job for job in group if job.result.set_running_or_notify_cancel()]
        done: list[tuple[_Job, Any]] = []
        try:
            with database.explained(self.path):
                db = self._connection()
                db.conn.execute("BEGIN")
                for job in running:
                    db.conn.execute("SAVEPOINT job")
                    try:
                        value = _fetched(job.fn(db))
                    except Exception as error:
                        if isinstance(error, sqlite3.Error) and database.explain(error, self.path) is not None:
                            raise  # the file, not the job: nobody's writes can be trusted
                        db.conn.execute("ROLLBACK TO job")
                        db.conn.execute("RELEASE job")
                        job.result.set_exception(error)
                    else:
                        db.conn.execute("RELEASE job")
                        done.append((job, value))
                self._require_file()
                db.conn.execute("COMMIT")
        except BaseException as error:  # noqa: BLE001 - whatever it is, the callers must hear it and the thread must live
            self._drop()
            for job in running:
                if not job.result.done():
                    job.result.set_exception(error)
            return
        for job, value in done:
            job.result.set_result(value)

    def _run_alone(self, job: _Job) -> None:
        if not job.result.set_running_or_notify_cancel():
            return
        try:
            with database.explained(self.path):
                value = job.fn(self._connection())
        except BaseException as error:  # noqa: BLE001 - as above
            self._drop()
            job.result.set_exception(error)
        else:
            job.result.set_result(value)

    def _move(self, target: Path) -> None:
        if target == self.path:
            return
        self._drop()
        files.replace(self.path, target)
        self.path, self._checked = target, True
        with suppress(SaveError):  # the next job tries again, and says what is wrong
            self._connection()

    def _connection(self) -> Database:
        """The connection; opened again after a failure, since SQLite promises nothing of one that met a full disk."""
        if self._db is None:
            self._db = database.open_writer(self.path, self._checked)
            self._checked = False
            self._inode = self.path.stat().st_ino
        return self._db

    def _require_file(self) -> None:
        """What goes into a file that has lost its name cannot be found again, so it must not count as stored."""
        if not self.path.is_file() or self.path.stat().st_ino != self._inode:
            raise SaveError(
                f"{self.path.name!r} was moved or deleted while it was played.", "Put it back; play goes on from there.", path=self.path
            )

    def _drop(self) -> None:
        """Closes the connection, which takes back an open transaction and checkpoints."""
        if self._db is not None:
            connection, self._db = self._db.conn, None
            # On a broken disk both may fail, and the file is sound without them.
            with suppress(sqlite3.Error):
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
            with suppress(sqlite3.Error):
                connection.close()


def _fetched(value: T) -> T:
    if isinstance(value, Iterator):
        raise TypeError("A store job returned an iterator, which would read after its transaction: fetch the rows first.")
    return value
