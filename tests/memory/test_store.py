from __future__ import annotations

import asyncio
import shutil
import sqlite3
import threading
import time
from collections.abc import AsyncIterator
from concurrent.futures import Future
from contextlib import closing
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest
from sqlite_utils import Database

from npc_server.errors import SaveError, SaveFull, SaveInUse, SaveNotFound
from npc_server.memory import meta
from npc_server.memory.store import Store, _Job
from tests.waiting import LIMIT_S

GROUPS = 30_000


def put(db: Database, key: str) -> str:
    db.execute("INSERT INTO meta (key, value) VALUES (?, '1')", (key,))
    return key


def keys(path: Path) -> set[str]:
    """What another program finds in the file."""
    with closing(sqlite3.connect(path)) as connection:
        return {row[0] for row in connection.execute("SELECT key FROM meta")}


async def test_a_job_is_on_disk_when_do_returns(store: Store, save: Path, tmp_path: Path) -> None:
    assert await store.do(lambda db: put(db, "a")) == "a"
    # The bytes as they are now, without the help of the process that wrote them.
    copy = tmp_path / "copy.sqlite"
    shutil.copy(save, copy)
    shutil.copy(f"{save}-wal", f"{copy}-wal")
    assert "a" in keys(copy)


async def test_the_connection_syncs_fully_and_holds_foreign_keys(store: Store) -> None:
    def settings(db: Database) -> list[object]:
        return [db.conn.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous", "foreign_keys", "locking_mode")]

    assert await store.do(settings) == ["wal", 2, 1, "exclusive"]


async def test_jobs_that_queue_share_one_transaction(store: Store) -> None:
    commits: list[str] = []
    began, go = threading.Event(), threading.Event()

    def block(db: Database) -> None:
        db.conn.set_trace_callback(lambda sql: commits.append(sql) if sql.startswith("COMMIT") else None)
        began.set()
        go.wait()

    blocked = asyncio.create_task(store.do(block))
    await asyncio.to_thread(began.wait)
    others = [asyncio.create_task(store.do(lambda db, i=i: put(db, str(i)))) for i in range(100)]  # type: ignore[misc]
    await asyncio.sleep(0)
    go.set()
    await asyncio.gather(blocked, *others)
    assert len(commits) == 2


def test_a_group_whose_time_is_over_is_committed_however_busy_the_machine_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody queues another job before the group is on disk: a wait that misses its end (SimpleQueue of CPython 3.11) lasts for ever."""
    times = count(step=2e-3 - 1e-9)  # as if the thread had lost the processor: all but a nanosecond of the wait is over
    monkeypatch.setattr("npc_server.memory.store.time", SimpleNamespace(monotonic=lambda: next(times)))
    store, job = Store(tmp_path / "a.sqlite", commit_wait_ms=2), _Job(lambda db: None, Future())
    sizes: list[int] = []

    def gather_groups() -> None:
        for _ in range(GROUPS):
            store._jobs.put(job)
            sizes.append(len(store._gather(job)))

    thread = threading.Thread(target=gather_groups, daemon=True)
    thread.start()
    thread.join(LIMIT_S)
    assert sizes == [2] * GROUPS


async def test_a_failing_job_takes_back_its_own_writes_and_no_others(store: Store) -> None:
    def fail(db: Database) -> None:
        put(db, "bad")
        raise ValueError("mine")

    results = await asyncio.gather(
        store.do(lambda db: put(db, "a")), store.do(fail), store.do(lambda db: put(db, "b")), return_exceptions=True
    )
    assert results[0] == "a"
    assert results[2] == "b"
    assert isinstance(results[1], ValueError)
    found = await store.do(lambda db: {row["key"] for row in db.query("SELECT key FROM meta")})
    assert {"a", "b"} <= found
    assert "bad" not in found


async def test_a_broken_rule_of_the_tables_fails_for_its_caller_alone(store: Store) -> None:
    await store.do(lambda db: put(db, "a"))
    results = await asyncio.gather(store.do(lambda db: put(db, "a")), store.do(lambda db: put(db, "b")), return_exceptions=True)
    assert isinstance(results[0], sqlite3.IntegrityError)
    assert results[1] == "b"


async def test_an_iterator_is_refused_since_it_would_read_too_late(store: Store) -> None:
    with pytest.raises(TypeError, match="fetch the rows"):
        await store.do(lambda db: db.query("SELECT 1"))


async def test_everything_queued_is_committed_before_close_returns(save: Path) -> None:
    store = await Store.open(save)
    tasks = [asyncio.create_task(store.do(lambda db, i=i: put(db, str(i)))) for i in range(20)]  # type: ignore[misc]
    await asyncio.sleep(0)
    await store.close()
    await store.close()
    await asyncio.gather(*tasks)
    assert {str(i) for i in range(20)} <= keys(save)
    assert not save.with_name(save.name + "-wal").exists()
    with pytest.raises(SaveError, match="closed"):
        await store.do(lambda db: None)


async def test_a_cancelled_job_that_has_not_begun_does_not_run(store: Store) -> None:
    began, go = threading.Event(), threading.Event()

    def block(db: Database) -> None:
        began.set()
        go.wait()

    blocked = asyncio.create_task(store.do(block))
    await asyncio.to_thread(began.wait)
    waiting = asyncio.create_task(store.do(lambda db: put(db, "late")))
    await asyncio.sleep(0.01)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    go.set()
    await blocked
    assert "late" not in await store.do(lambda db: {row["key"] for row in db.query("SELECT key FROM meta")})


def test_a_loop_that_closes_leaves_the_store_working(save: Path) -> None:
    async def start() -> Store:
        store = await Store.open(save)
        task = asyncio.create_task(store.do(lambda db: time.sleep(0.2)))
        await asyncio.sleep(0.05)
        task.cancel()
        return store

    store = asyncio.run(start())

    async def use() -> None:
        assert await store.do(lambda db: put(db, "after")) == "after"
        await store.close()

    asyncio.run(use())
    assert "after" in keys(save)


def test_a_save_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SaveNotFound, match=r"gone\.npcsave"):
        asyncio.run(Store.open(tmp_path / "gone.npcsave"))
    assert list(tmp_path.iterdir()) == []


async def test_a_second_opening_says_in_use(store: Store, save: Path) -> None:
    with pytest.raises(SaveInUse, match="another session"):
        await Store.open(save)
    assert (await store.do(meta.read)).town == "Millbrook"


# ---- a full disk


@pytest.fixture
async def small(save: Path) -> AsyncIterator[Store]:
    """A store whose file may not grow much."""
    opened = await Store.open(save)
    await opened.do(lambda db: None)
    yield opened
    await opened.close()


def limit(db: Database, pages: int) -> None:
    now = db.conn.execute("PRAGMA page_count").fetchone()[0]
    db.conn.execute(f"PRAGMA max_page_count = {now + pages}").fetchone()


async def test_a_full_disk_fails_the_whole_group_and_writes_nothing_of_it(small: Store) -> None:
    began, go = threading.Event(), threading.Event()

    def block(db: Database) -> None:
        limit(db, 2)
        began.set()
        go.wait()

    def big(db: Database) -> None:
        db.execute("INSERT INTO meta (key, value) VALUES ('big', ?)", ("x" * 100_000,))

    blocked = asyncio.create_task(small.do(block))
    await asyncio.to_thread(began.wait)
    group = [asyncio.create_task(small.do(job)) for job in (lambda db: put(db, "a"), big, lambda db: put(db, "b"))]
    await asyncio.sleep(0.01)
    go.set()
    await blocked
    results = await asyncio.gather(*group, return_exceptions=True)
    assert [type(result) for result in results] == [SaveFull, SaveFull, SaveFull]
    found = await small.do(lambda db: {row["key"] for row in db.query("SELECT key FROM meta")})
    assert not {"a", "b", "big"} & found
    # The connection was opened anew, which lifts the limit: room is back.
    await small.do(big)
    assert await small.do(lambda db: put(db, "a")) == "a"


async def test_a_save_that_is_moved_goes_on_in_its_new_place(store: Store, save: Path, tmp_path: Path) -> None:
    target = tmp_path / "moved.sqlite"
    target.write_bytes(b"what was there before")
    await store.do(lambda db: put(db, "before"))
    await store.move(target)
    await store.do(lambda db: put(db, "after"))
    await store.close()
    assert {"before", "after"} <= keys(target)
    assert not list(tmp_path.glob(f"{save.name}*"))


async def test_a_save_that_cannot_be_moved_goes_on_where_it_is(store: Store, save: Path, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(SaveError, match="cannot be read or written"):
        await store.move(tmp_path / "folder")
    await store.do(lambda db: put(db, "after"))
    await store.close()
    assert "after" in keys(save)


async def test_nothing_is_acknowledged_that_goes_into_a_file_that_was_taken_away(store: Store, save: Path, tmp_path: Path) -> None:
    await store.do(lambda db: put(db, "before"))
    save.rename(tmp_path / "away")
    with pytest.raises(SaveError, match="moved or deleted"):
        await store.do(lambda db: put(db, "lost"))
    with pytest.raises(SaveNotFound):
        await store.do(lambda db: put(db, "lost"))
    (tmp_path / "away").rename(save)
    await store.do(lambda db: put(db, "after"))
    await store.close()
    assert {"before", "after"} <= keys(save)
    assert "lost" not in keys(save)
