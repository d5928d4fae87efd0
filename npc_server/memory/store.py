"""An open save: one SQLite connection on one thread, which does all the writing. `group_commit` says how jobs share a transaction.

Full durability costs little, because all jobs that queue while the thread is busy share one sync of the disk.
"""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import closing, suppress
from pathlib import Path
from typing import TypeVar

from sqlite_utils import Database

from npc_server.errors import SaveError
from npc_server.memory import database, files
from npc_server.memory.group_commit import JobQueue, StoreJob, tell, write_group

T = TypeVar("T")
PAGES_AT_ONCE = 256
"""Pages of 4 KiB that a backup copies before it lets waiting writes through. This takes a millisecond or two."""


class Store:
    """An open save, made by `Store.open`. Every method may be called from any task of any event loop.

    If a caller is cancelled before its job begins, the job does not run. A job that has begun is committed all the same.
    """

    def __init__(self, path: Path, commit_wait_ms: float, checked: bool = False, *, full_sync: bool = True) -> None:
        self.path = path
        self._checked = checked
        self._full_sync = full_sync
        self._jobs = JobQueue(commit_wait_ms / 1000)
        self._gate = threading.Lock()
        self._closed = False
        self._asked: dict[asyncio.AbstractEventLoop, list[StoreJob]] = {}
        """For each event loop, the jobs of its current turn. At the end of the turn they go into the queue together."""
        self._db: Database | None = None
        self._inode = 0
        """Number of the file that is open, as the file system knows it."""
        # A daemon, so that a program that forgets to close the store still ends. The file is sound at every moment.
        self._thread = threading.Thread(target=self._run, name=f"store {path.name}", daemon=True)

    @classmethod
    async def open(cls, path: Path, commit_wait_ms: float = 2.0, checked: bool = False, *, full_sync: bool = True) -> Store:
        """Opens an existing save and migrates it to the newest version. `checked` says that the file was just found to be sound.

        Without `full_sync`, writes return before they are on the disk. The save survives the end of this process, and not a power cut.
        Raises SaveNotFound, SaveInUse, SaveTooNew or SaveDamaged, and leaves the file as it was.
        """
        store = cls(path, commit_wait_ms, checked, full_sync=full_sync)
        store._thread.start()
        try:
            await store.alone(lambda db: None)
        except BaseException:
            store._stop()
            raise
        return store

    async def do(self, fn: Callable[[Database], T]) -> T:
        """Runs `fn` on the store's thread in a group commit, and returns after its writes are on the disk.

        `fn` must fetch what it reads, and must not commit. Raises what `fn` raises. Raises SaveFull or another SaveError if the group
        could not be written. Then nothing of the group is stored.
        """
        return await self._submit(fn)

    async def alone(self, fn: Callable[[Database], T]) -> T:
        """Runs `fn` on the store's thread outside a transaction, after everything queued before it is committed."""
        return await self._submit(fn, alone=True)

    def copy(self, fresh: Path) -> None:
        """Copies the save to `fresh`, a new file, while writes go on. The copy holds everything committed when this returns.

        Blocks, so call it from a thread. Raises SaveFull or another SaveError.
        """
        self._queue(lambda db: self._copy(db, fresh), alone=True).result()

    async def move(self, target: Path) -> None:
        """Renames the save to `target` in one step and continues there. A file that is already there is replaced.

        Nobody may have `target` open. Raises SaveError, and SaveFull when there is no room for what is still in the write-ahead log.
        """
        await self.alone(lambda db: self._move(target))

    async def close(self) -> None:
        """Commits what is queued, checkpoints the write-ahead log and closes the file. A second call does nothing."""
        self._stop()
        await asyncio.to_thread(self._thread.join)

    def _queue(self, fn: Callable[[Database], T], alone: bool = False) -> Future[T]:
        """Queues a job at once, for a thread that waits for its result."""
        job = StoreJob(fn, Future(), alone)
        with self._gate:
            self._require_open()
            self._jobs.put([job])
        return job.result

    async def _submit(self, fn: Callable[[Database], T], alone: bool = False) -> T:
        loop = asyncio.get_running_loop()
        told: asyncio.Future[T] = loop.create_future()
        job = StoreJob(fn, Future(), alone, told)
        with self._gate:
            self._require_open()
            asked = self._asked.setdefault(loop, [])
            asked.append(job)
        if len(asked) == 1:
            loop.call_soon(self._hand_over, loop)
        try:
            return await told
        except asyncio.CancelledError:
            job.result.cancel()  # This has no effect once the job has begun.
            raise

    def _hand_over(self, loop: asyncio.AbstractEventLoop) -> None:
        with self._gate:
            if asked := self._asked.pop(loop, []):
                self._jobs.put(asked)

    def _require_open(self) -> None:
        if self._closed:
            raise SaveError(f"The save {self.path.name!r} is closed.", "Open it again.", path=self.path)

    def _stop(self) -> None:
        with self._gate:
            if not self._closed:
                self._closed = True
                self._jobs.put([*(job for asked in self._asked.values() for job in asked), None])
                self._asked.clear()

    # ---- on the store's own thread

    def _run(self) -> None:
        while (job := self._jobs.take()) is not None:
            if job.alone:
                self._run_alone(job)
            else:
                self._commit(self._jobs.gather(job))
        self._drop()

    def _copy(self, db: Database, fresh: Path) -> None:
        """Copies with SQLite's backup, some pages at a time. What this connection writes in between goes into the copy, too."""
        with closing(database.connect(fresh, "rwc")) as copied:
            # The copy is synced as a whole before it gets its name, and is thrown away if anything fails.
            copied.execute("PRAGMA journal_mode = OFF")
            copied.execute("PRAGMA synchronous = OFF")
            db.conn.backup(copied, pages=PAGES_AT_ONCE, progress=self._write_waiting, sleep=0)

    def _write_waiting(self, status: int, remaining: int, total: int) -> None:
        """Commits one waiting group during a backup. Raises SaveError if that fails, since the connection cannot be trusted then."""
        group = self._jobs.gather_waiting()
        if not group:
            return
        self._commit(group)
        if self._db is None:
            raise SaveError(f"{self.path.name!r} could not be written while it was copied.", "Save again.", path=self.path)

    def _commit(self, group: list[StoreJob]) -> None:
        """Writes a group and tells every caller the outcome. A failure closes the connection; the next job opens it again."""
        running = [job for job in group if job.result.set_running_or_notify_cancel()]
        try:
            with database.explained(self.path):
                done = write_group(self._connection(), running, self.path, self._require_file)
        except BaseException as error:  # noqa: BLE001 - whatever it is, the callers must hear it and the thread must live
            self._drop()
            for job in running:
                if not job.result.done():
                    job.result.set_exception(error)
        else:
            for job, value in done:
                job.result.set_result(value)
        tell(running)

    def _run_alone(self, job: StoreJob) -> None:
        if not job.result.set_running_or_notify_cancel():
            return
        try:
            with database.explained(self.path):
                value = job.fn(self._connection())
        except BaseException as error:  # noqa: BLE001 - as in _commit
            self._drop()
            job.result.set_exception(error)
        else:
            job.result.set_result(value)
        tell([job])

    def _move(self, target: Path) -> None:
        if target == self.path:
            return
        self._drop()
        files.replace(self.path, target)
        self.path, self._checked = target, True
        with suppress(SaveError):  # The next job tries again and reports what is wrong.
            self._connection()

    def _connection(self) -> Database:
        """The connection. It is opened again after a failure, since SQLite promises nothing about one that met a full disk."""
        if self._db is None:
            self._db = database.open_writer(self.path, self._checked, full_sync=self._full_sync)
            self._checked = False
            self._inode = self.path.stat().st_ino
        return self._db

    def _require_file(self) -> None:
        """Raises SaveError if the file was moved or deleted: nobody could find again what is written to it."""
        if not self.path.is_file() or self.path.stat().st_ino != self._inode:
            raise SaveError(
                f"{self.path.name!r} was moved or deleted while a session was playing it.",
                "Put the file back; the session then continues with it.",
                path=self.path,
            )

    def _drop(self) -> None:
        """Closes the connection. This rolls back an open transaction and checkpoints the log."""
        if self._db is not None:
            connection, self._db = self._db.conn, None
            # On a broken disk both may fail, and the file is sound without them.
            with suppress(sqlite3.Error):
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
            with suppress(sqlite3.Error):
                connection.close()
