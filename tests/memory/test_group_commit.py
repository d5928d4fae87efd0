from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator
from concurrent.futures import Future
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest
from sqlite_utils import Database

from npc_server.errors import SaveFull
from npc_server.memory.group_commit import JobQueue, StoreJob
from npc_server.memory.store import Store
from tests.memory.streams import put
from tests.waiting import LIMIT_S

GROUPS = 30_000


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


async def test_jobs_of_one_turn_share_one_transaction_though_the_thread_is_idle(save: Path) -> None:
    commits: list[str] = []
    store = await Store.open(save, commit_wait_ms=0)
    await store.do(lambda db: db.conn.set_trace_callback(lambda sql: commits.append(sql) if sql.startswith("COMMIT") else None))
    commits.clear()
    await asyncio.gather(*(store.do(lambda db, i=i: put(db, str(i))) for i in range(100)))  # type: ignore[misc]
    await store.do(lambda db: db.conn.set_trace_callback(None))
    await store.close()
    assert len(commits) == 1


async def test_a_job_of_the_turn_in_which_the_store_is_closed_is_committed(save: Path) -> None:
    store = await Store.open(save)
    late = asyncio.create_task(store.do(lambda db: put(db, "late")))
    await asyncio.sleep(0)  # it has asked, and its turn is not over
    await store.close()
    assert await late == "late"
    again = await Store.open(save)
    assert "late" in await again.do(lambda db: {row["key"] for row in db.query("SELECT key FROM meta")})
    await again.close()


def test_a_group_whose_time_is_over_is_committed_however_busy_the_machine_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody queues another job before the group is on disk: a wait that misses its end (SimpleQueue of CPython 3.11) lasts for ever."""
    times = count(step=2e-3 - 1e-9)  # as if the thread had lost the processor: all but a nanosecond of the wait is over
    monkeypatch.setattr("npc_server.memory.group_commit.time", SimpleNamespace(monotonic=lambda: next(times)))
    jobs, job = JobQueue(wait_s=2e-3), StoreJob(lambda db: None, Future())
    sizes: list[int] = []

    def gather_groups() -> None:
        for _ in range(GROUPS):
            jobs.put([job])
            sizes.append(len(jobs.gather(job)))

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
