"""People open saves with other programs, which leave logs and journals beside them: nothing of that is lost, and nothing spoils a save."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from npc_server.errors import SaveDamaged, SaveInUse
from npc_server.memory import files, meta
from npc_server.memory.listing import read_info
from npc_server.memory.slots import Slots
from npc_server.memory.store import Store
from npc_server.platform import files as platform_files
from tests.memory.copies import opened

EDIT = "UPDATE meta SET value = '\"Edited\"' WHERE key = 'town'"
PAD = (
    "INSERT INTO meta (key, value) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) "
    "SELECT 'pad' || i, hex(zeroblob(200)) FROM n"
)
IN_WAL = f"db.execute('PRAGMA journal_mode = WAL'); db.execute('PRAGMA wal_autocheckpoint = 0'); db.execute({EDIT!r}); db.execute({PAD!r})"
"""Committed, and only in the log."""
IN_JOURNAL = f"db.execute('PRAGMA cache_size = 1'); db.execute('BEGIN IMMEDIATE'); db.execute({EDIT!r}); db.execute({PAD!r})"
"""Not committed, and half of it in the file already."""


@pytest.fixture
def slots(tmp_path: Path) -> Slots:
    made = Slots(tmp_path / "saves")
    made.create("first", lambda db: meta.write(db, town="Millbrook", now=1000))
    return made


@contextmanager
def another_program(path: Path, does: str) -> Iterator[subprocess.Popen[str]]:
    """Has `path` open in Python's sqlite3 and did something to it; is killed at the end, like a shell whose window is closed."""
    opens = f"import sqlite3, sys; db = sqlite3.connect({str(path)!r}, isolation_level=None)"
    program = "\n".join((opens, does, "print('did', flush=True)", "sys.stdin.read()"))
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "did\n"
        yield child
        child.kill()


def killed_after(path: Path, does: str) -> None:
    with another_program(path, does):
        pass


def beside(path: Path) -> list[str]:
    return sorted(it.name for it in path.parent.glob(f"{path.name}-*"))


def save(slots: Slots, slot: str) -> None:
    """What is played in `first`, at another time than before."""

    async def go() -> None:
        store = await Store.open(slots.folder / "first.play.sqlite")
        try:
            await store.do(lambda db: meta.write(db, now=2000))
            await asyncio.to_thread(slots.save, store.copy, "first", slot, 1)
        finally:
            await store.close()

    asyncio.run(go())


def town(path: Path) -> str:
    return read_info("x", path).town


def sound(path: Path) -> bool:
    with closing(sqlite3.connect(path)) as connection:
        return bool(connection.execute("PRAGMA integrity_check").fetchone() == ("ok",))


def test_what_another_program_wrote_and_did_not_bring_into_the_file_is_played(slots: Slots) -> None:
    killed_after(slots.path("first"), IN_WAL)
    before = slots.path("first").read_bytes()
    assert beside(slots.path("first")) == ["first.npcsave-shm", "first.npcsave-wal"]
    assert town(opened(slots, "first").path) == "Edited"
    assert slots.path("first").read_bytes() == before


def test_what_another_program_wrote_by_half_when_it_died_is_not_played(slots: Slots) -> None:
    killed_after(slots.path("first"), IN_JOURNAL)
    before = slots.path("first").read_bytes()
    copy = opened(slots, "first")
    assert town(copy.path) == "Millbrook"
    assert sound(copy.path)
    assert slots.path("first").read_bytes() == before
    assert beside(slots.path("first")) == ["first.npcsave-journal"]


@pytest.mark.parametrize("left", [IN_WAL, IN_JOURNAL])
def test_a_log_or_journal_beside_a_slot_does_not_spoil_the_next_save(slots: Slots, left: str) -> None:
    opened(slots, "first")
    killed_after(slots.path("first"), left)
    assert beside(slots.path("first"))
    save(slots, "first")
    assert slots.info("first").now == 2000
    assert sound(slots.path("first"))
    assert beside(slots.path("first")) == []


@pytest.mark.parametrize("end", ["-wal", "-journal"])
def test_a_log_whose_file_is_gone_does_not_spoil_a_save_of_its_name(slots: Slots, end: str) -> None:
    other = slots.path("second")
    slots.create("second", lambda db: meta.write(db, town="Gone"))
    with another_program(other, IN_WAL if end == "-wal" else IN_JOURNAL):
        left = Path(f"{other}{end}").read_bytes()
    files.remove(other)
    Path(f"{other}{end}").write_bytes(left)
    opened(slots, "first")
    save(slots, "second")
    assert (slots.info("second").town, sound(other), beside(other)) == ("Millbrook", True, [])
    slots.delete("second")
    Path(f"{other}{end}").write_bytes(left)
    slots.create("second", lambda db: meta.write(db, town="New"))
    assert (slots.info("second").town, sound(other)) == ("New", True)


def test_a_slot_that_another_program_has_open_is_not_replaced_and_what_is_played_stays(slots: Slots) -> None:
    opened(slots, "first")
    with another_program(slots.path("first"), IN_WAL):
        with pytest.raises(SaveInUse, match="open in another"):
            save(slots, "first")
        assert town(slots.path("first")) == "Edited"
    save(slots, "first")
    assert slots.info("first").now == 2000


def test_a_slot_that_another_program_only_reads_can_be_saved_over(slots: Slots) -> None:
    opened(slots, "first")
    with another_program(slots.path("first"), "print(len(db.execute('SELECT * FROM meta').fetchall()), file=sys.stderr)"):
        save(slots, "first")
    assert (slots.info("first").now, sound(slots.path("first"))) == (2000, True)


def test_a_backup_brought_back_beside_a_foreign_log_is_refused_and_left_as_it_is(slots: Slots) -> None:
    path = slots.path("first")
    backup = path.read_bytes()
    brought_in = "db.execute('PRAGMA wal_checkpoint(TRUNCATE)')"
    killed_after(path, f"{IN_WAL}; {brought_in}; db.execute({PAD.replace('pad', 'more')!r})")  # rests on pages that the backup lacks
    path.write_bytes(backup)
    before = {it.name: it.read_bytes() for it in path.parent.glob("first.npcsave*") if not it.name.endswith("-shm")}
    with pytest.raises(SaveDamaged, match=r"delete 'first\.npcsave-wal'"):
        opened(slots, "first")
    assert {it.name: it.read_bytes() for it in path.parent.glob("first.npcsave*") if not it.name.endswith("-shm")} == before


@pytest.mark.parametrize("left", [IN_WAL, IN_JOURNAL])
def test_a_crash_at_any_step_of_saving_over_a_log_leaves_the_old_save_or_the_new_one(
    slots: Slots, left: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(slots, "first")
    killed_after(slots.path("first"), left)
    kept = {it.name: it.read_bytes() for it in slots.folder.glob("first.*")}
    old = "Edited" if left == IN_WAL else "Millbrook"
    steps = 0
    for dies_before in range(1, 30):
        for name, data in kept.items():
            (slots.folder / name).write_bytes(data)
        with monkeypatch.context() as patch:
            steps = dying(patch, dies_before)(lambda: save(slots, "first"))
        for path in [*slots.folder.glob(".first.npcsave.tmp-*"), *slots.folder.glob("*-shm")]:
            path.unlink()
        found = dict.fromkeys(slots.folder.glob("first.npcsave*"))
        with closing(sqlite3.connect(slots.path("first"))) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",), (dies_before, found)
        info = slots.info("first")
        assert (info.town, info.now) in ((old, 1000), ("Millbrook", 2000)), dies_before
        if steps < dies_before:
            assert info.now == 2000
            break
    assert steps > 3


def dying(patch: pytest.MonkeyPatch, dies_before: int) -> Callable[[Callable[[], None]], int]:
    """Runs something that ends before its n-th change of the folder; says how many there were. What is open is closed as a kill would."""
    count = 0

    def hook(owner: object, name: str) -> None:
        real = getattr(owner, name)

        def step(*given: object, **named: object) -> object:
            nonlocal count
            count += 1
            if count >= dies_before:
                raise KeyboardInterrupt
            return real(*given, **named)

        patch.setattr(owner, name, step)

    def run(work: Callable[[], None]) -> int:
        for owner, name in (
            (Path, "replace"),
            (Path, "unlink"),
            (files, "sync_file"),
            (platform_files, "sync_folder"),
            (files, "merge_journals"),
        ):
            hook(owner, name)
        try:
            work()
        except KeyboardInterrupt:
            return count
        return count

    return run


def test_copying_reads_nothing_of_what_a_living_program_has_not_committed(slots: Slots, tmp_path: Path) -> None:
    with another_program(slots.path("first"), f"db.execute('BEGIN IMMEDIATE'); db.execute({EDIT!r})"):
        files.copy(slots.path("first"), tmp_path / "copy")
    assert town(tmp_path / "copy") == "Millbrook"


def test_play_whose_log_was_brought_in_by_half_when_the_server_died_is_continued(slots: Slots) -> None:
    play = opened(slots, "first").path
    slots.close("first", keep_unsaved=True)
    killed_after(play, f"db.execute('PRAGMA journal_mode = DELETE'); {IN_JOURNAL}")
    assert beside(play) == ["first.play.sqlite-journal"]
    assert slots.owner("first") == ("", "")
    assert [(info.problem, info.recoverable) for info in slots.saves()] == [("", True)]
    copy = opened(slots, "first")
    assert (copy.recovered, town(copy.path), sound(copy.path), beside(play)) == (True, "Millbrook", True, [])


def test_a_slot_that_another_program_wrote_by_half_is_listed_as_it_was_before(slots: Slots) -> None:
    killed_after(slots.path("first"), IN_JOURNAL)
    before = slots.path("first").read_bytes()
    assert [(info.town, info.problem) for info in slots.saves()] == [("Millbrook", "")]
    assert slots.path("first").read_bytes() == before
    assert beside(slots.path("first")) == ["first.npcsave-journal"]


def test_a_half_written_file_that_changes_while_it_is_read_is_in_use(slots: Slots, monkeypatch: pytest.MonkeyPatch) -> None:
    path = slots.path("first")
    killed_after(path, IN_JOURNAL)
    copyfile = shutil.copyfile

    def while_it_is_mended(source: Path, target: Path) -> None:
        copyfile(source, target)
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("SELECT * FROM meta").fetchall()  # rolls it back

    monkeypatch.setattr(shutil, "copyfile", while_it_is_mended)
    with pytest.raises(SaveInUse, match="open in another"):
        slots.info("first")
    monkeypatch.undo()
    assert slots.info("first").town == "Millbrook"
