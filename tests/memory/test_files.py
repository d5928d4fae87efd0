"""A save file is replaced whole or not at all."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from sqlite_utils import Database

from npc_server.errors import SaveDamaged, SaveFull
from npc_server.memory import database, files, meta
from npc_server.memory.create import create
from npc_server.memory.slots import Slots, read_info
from npc_server.memory.store import Store
from tests.disks import fill_up
from tests.memory.copies import opened


async def test_saving_is_one_atomic_file(store: Store, tmp_path: Path) -> None:
    """The reference's mistake 11: saving overwrites many files one by one."""
    target = tmp_path / "saved.npcsave"
    await store.do(lambda db: meta.write(db, now=5))
    await store.snapshot(target)
    await store.do(lambda db: meta.write(db, now=9))
    assert read_info("saved", target).now == 5
    assert {path.name for path in tmp_path.iterdir()} == {"saved.npcsave", "town.npcsave", "town.npcsave-wal"}


async def test_a_snapshot_has_what_was_queued_before_it_and_not_what_came_after(store: Store, tmp_path: Path) -> None:
    target = tmp_path / "saved.npcsave"
    before = [asyncio.create_task(store.do(lambda db, n=n: meta.write(db, now=n))) for n in range(20)]  # type: ignore[misc]
    await asyncio.sleep(0)
    taking = asyncio.create_task(store.snapshot(target))
    await asyncio.sleep(0)
    after = asyncio.create_task(store.do(lambda db: meta.write(db, now=999)))
    await asyncio.gather(*before, taking, after)
    assert read_info("saved", target).now == 19
    assert (await store.do(meta.read)).now == 999


def test_the_old_save_stays_when_the_new_one_does_not_check_out(save: Path) -> None:
    before = save.read_bytes()
    with pytest.raises(SaveDamaged):
        files.write_whole(save, lambda fresh: fresh.write_bytes(b"x" * 4096))
    assert save.read_bytes() == before
    assert [path.name for path in save.parent.iterdir()] == [save.name]


def test_everything_is_synced_before_the_rename_and_the_folder_after(save: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    rename = Path.replace

    def note(self: Path, target: Path) -> Path:
        seen.append("rename")
        return rename(self, target)

    monkeypatch.setattr(files, "sync_file", lambda path: seen.append("sync file"))
    monkeypatch.setattr(files, "sync_folder", lambda folder: seen.append("sync folder"))
    monkeypatch.setattr(Path, "replace", note)
    create(save)
    assert seen == ["sync file", "rename", "sync folder"]


def test_removing_takes_the_file_before_its_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone: list[str] = []
    monkeypatch.setattr(Path, "unlink", lambda self: gone.append(self.name))
    files.remove(tmp_path / "a.sqlite")
    assert gone == ["a.sqlite", "a.sqlite-wal", "a.sqlite-shm", "a.sqlite-journal"]


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
            await store.alone(lambda db: slots.save(db, "first", "first", 1))
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
