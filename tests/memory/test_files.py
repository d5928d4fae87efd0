"""A save file is replaced whole or not at all."""

from __future__ import annotations

import asyncio
import errno
import sqlite3
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

import pytest
from sqlite_utils import Database

from npc_server.errors import SaveDamaged, SaveFull
from npc_server.memory import database, files, memories, meta
from npc_server.memory.create import create
from npc_server.memory.listing import read_info
from npc_server.memory.slots import Slots
from npc_server.memory.store import Store
from npc_server.platform import files as platform_files
from npc_server.records import Memory, MemoryKind
from tests.disks import fill_up
from tests.memory.copies import opened, snapshot


async def test_saving_is_one_atomic_file(store: Store, tmp_path: Path) -> None:
    """The reference's mistake 11: saving overwrites many files one by one."""
    target = tmp_path / "saved.npcsave"
    await store.do(lambda db: meta.write(db, now=5))
    await snapshot(store, target)
    await store.do(lambda db: meta.write(db, now=9))
    assert read_info("saved", target).now == 5
    assert {path.name for path in tmp_path.iterdir()} == {"saved.npcsave", "town.npcsave", "town.npcsave-wal"}


async def test_a_snapshot_has_what_was_queued_before_it(store: Store, tmp_path: Path) -> None:
    target = tmp_path / "saved.npcsave"
    before = [asyncio.create_task(store.do(lambda db, n=n: meta.write(db, now=n))) for n in range(20)]  # type: ignore[misc]
    await asyncio.sleep(0)
    await asyncio.gather(*before, snapshot(store, target))
    assert read_info("saved", target).now == 19


class Pages:
    """Lets a copy take one page at a time, and something happen between two."""

    def __init__(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        self.passed = 0
        self.meanwhile: Callable[[int], object] = lambda page: None
        write_waiting = store._write_waiting

        def between(status: int, remaining: int, total: int) -> None:
            self.passed += 1
            self.meanwhile(self.passed)
            write_waiting(status, remaining, total)

        monkeypatch.setattr("npc_server.memory.store.PAGES_AT_ONCE", 1)
        monkeypatch.setattr(store, "_write_waiting", between)


@pytest.fixture
def pages(store: Store, monkeypatch: pytest.MonkeyPatch) -> Pages:
    return Pages(store, monkeypatch)


async def test_writes_go_on_while_a_save_is_copied_and_the_copy_is_whole(store: Store, tmp_path: Path, pages: Pages) -> None:
    target = tmp_path / "saved.npcsave"
    at: list[tuple[int, int]] = []

    def write(number: int) -> Callable[[Database], None]:
        def both(db: Database) -> None:
            at.append((number, pages.passed))
            meta.write(db, now=number)
            memories.insert(db, [Memory("ada", number, MemoryKind.OBSERVATION, "x" * 3000, 1, 1, 1)])

        return both

    jobs: list[Future[None]] = []
    pages.meanwhile = lambda page: jobs.append(store._queue(write(page))) if page <= 10 else None
    await snapshot(store, target)
    for job in jobs:
        await asyncio.wrap_future(job)
    stored = [number for number, passed in at if passed < pages.passed]
    assert len(stored) >= 5  # committed in the middle of it
    with database.reading(target) as db:
        database.check_sound(db, target)
        kept = [memory.id for memory in memories.load(db, "ada")]
        assert set(stored) - set(kept) <= {stored[-1]}
        assert meta.read(db).now == kept[-1]  # a job is in it wholly or not at all


async def test_a_copy_that_cannot_be_written_harms_neither_the_store_nor_the_old_save(store: Store, tmp_path: Path, pages: Pages) -> None:
    target = tmp_path / "saved.npcsave"
    await snapshot(store, target)
    before = target.read_bytes()

    def fail(page: int) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    pages.meanwhile = fail
    with pytest.raises(SaveFull):
        await snapshot(store, target)
    assert target.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir() if files.LEFTOVER in path.name] == []
    await store.do(lambda db: meta.write(db, now=7))
    assert (await store.do(meta.read)).now == 7


async def test_a_store_that_is_closed_while_it_is_copied_finishes_the_copy(store: Store, tmp_path: Path, pages: Pages) -> None:
    pages.meanwhile = lambda page: store._stop() if page == 2 else None
    await snapshot(store, tmp_path / "saved.npcsave")
    assert read_info("saved", tmp_path / "saved.npcsave").town == "Millbrook"
    await store.close()


async def test_a_slot_needs_nothing_beside_it(store: Store, tmp_path: Path) -> None:
    await snapshot(store, tmp_path / "saved.npcsave")
    assert (tmp_path / "saved.npcsave").read_bytes()[18:20] == b"\x01\x01"


def test_the_old_save_stays_when_the_new_one_does_not_check_out(save: Path) -> None:
    before = save.read_bytes()
    with pytest.raises(SaveDamaged):
        files.write_atomically(save, lambda fresh: fresh.write_bytes(b"x" * 4096))
    assert save.read_bytes() == before
    assert [path.name for path in save.parent.iterdir()] == [save.name]


def test_everything_is_synced_before_the_rename_and_the_folder_after(save: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    rename = Path.replace

    def note(self: Path, target: Path) -> Path:
        seen.append("rename")
        return rename(self, target)

    monkeypatch.setattr(files, "sync_file", lambda path: seen.append("sync file"))
    monkeypatch.setattr(platform_files, "sync_folder", lambda folder: seen.append("sync folder"))
    monkeypatch.setattr(Path, "replace", note)
    create(save)
    assert seen == ["sync file", "rename", "sync folder"]


def test_removing_takes_the_file_before_its_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone: list[str] = []
    monkeypatch.setattr(Path, "unlink", lambda self: gone.append(self.name))
    files.remove(tmp_path / "a.sqlite")
    assert gone == ["a.sqlite", "a.sqlite-wal", "a.sqlite-shm", "a.sqlite-journal"]


def test_a_copy_that_does_not_reach_the_disk_is_no_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slots = Slots(tmp_path)
    slots.create("first", lambda db: meta.write(db, town="Millbrook"))
    before = {path.name for path in tmp_path.iterdir()}
    sync_file = files.sync_file

    def full(path: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(files, "sync_file", full)
    with pytest.raises(SaveFull):
        opened(slots, "first")
    monkeypatch.setattr(files, "sync_file", sync_file)
    assert not [path.name for path in tmp_path.iterdir() if files.LEFTOVER in path.name]
    assert before <= {path.name for path in tmp_path.iterdir()}
    assert opened(slots, "first").path.is_file()


# ---- a real full disk


def test_a_full_disk_loses_nothing_acknowledged_and_play_goes_on_when_room_is_back(small_disk: Path) -> None:
    slots = Slots(small_disk)
    slots.create("first", lambda db: meta.write(db, town="Millbrook"))
    copy = opened(slots, "first")
    saved = slots.path("first").read_bytes()

    def note(db: Database, key: str, size: int = 40) -> None:
        db.execute("INSERT INTO meta (key, value) VALUES (?, ?)", (key, f'"{"x" * size}"'))

    async def play() -> None:
        store = await Store.open(copy.path)
        await store.do(lambda db: note(db, "before"))
        ballast = await asyncio.to_thread(fill_up, small_disk)
        with pytest.raises(SaveFull, match="disk is full"):
            await store.do(lambda db: note(db, "big", 400_000))
        with pytest.raises(SaveFull):
            await asyncio.to_thread(slots.save, store.copy, "first", "first", 1)
        await asyncio.to_thread(ballast.unlink)
        await store.do(lambda db: note(db, "after"))
        await store.close()

    asyncio.run(play())
    assert slots.path("first").read_bytes() == saved
    assert not list(small_disk.glob(f"*{files.LEFTOVER}*"))
    with database.reading(copy.path) as db:
        database.check_sound(db, copy.path)
        found = {row[0] for row in db.execute("SELECT key FROM meta").fetchall()}
    assert {"before", "after"} <= found
    assert "big" not in found
    slots.close("first")
    fill_up(small_disk)
    with pytest.raises(SaveFull):
        opened(slots, "first")
    (small_disk / "ballast").unlink()
    assert opened(slots, "first").path.is_file()
