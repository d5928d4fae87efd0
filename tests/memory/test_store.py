from __future__ import annotations

import asyncio
import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest
from sqlite_utils import Database

from npc_server.errors import SaveError, SaveInUse, SaveNotFound
from npc_server.memory import meta
from npc_server.memory.store import Store
from tests.memory.streams import put


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
