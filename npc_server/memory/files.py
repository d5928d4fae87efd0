"""Copies and replaces saves atomically: a file is complete or does not exist. Everything here blocks.

SQLite keeps changes that are not in the file yet beside it, in a log (`-wal`) or a journal (`-journal`). Another program that reads or
edits a save may leave one there. It belongs to that file, and would corrupt another file that gets the same name.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, nullcontext, suppress
from pathlib import Path

from sqlite_utils import Database

from npc_server.errors import SaveDamaged, SaveNotFound
from npc_server.memory import database
from npc_server.platform import files as platform_files

LEFTOVER = ".tmp-"
"""Every unfinished file has this in its name."""
_JOURNALS = ("-wal", "-shm", "-journal")


def unfinished(target: Path) -> Path:
    """Creates an empty file in the folder of `target`, which will replace it when it is finished.

    Only this user may read it, since it holds what players said. SQLite gives logs and journals the same permissions.
    """
    fresh = target.with_name(f".{target.name}{LEFTOVER}{secrets.token_hex(6)}")
    os.close(os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    return fresh


def private_folder(folder: Path) -> None:
    """Creates a folder that only this user may enter. One that is there keeps its permissions."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def snapshot(copy: Callable[[Path], object], target: Path, edit: Callable[[Database], object] = lambda db: None) -> None:
    """Writes a save to `target` atomically. `copy` makes the copy (see `Store.copy`), and `edit` changes it in one transaction.

    Raises SaveInUse, SaveFull or another SaveError. Then `target` is as it was.
    """

    def write(fresh: Path) -> None:
        copy(fresh)
        with closing(database.connect(fresh, "rw")) as connection:
            connection.execute("PRAGMA synchronous = OFF")  # `write_atomically` syncs it as a whole.
            # The copied file uses a write-ahead log. A slot is a single file without one.
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            connection.execute("PRAGMA journal_mode = DELETE").fetchall()
            connection.execute("PRAGMA journal_mode = MEMORY").fetchall()
            db = database.as_database(connection)
            with db.atomic():
                edit(db)

    write_atomically(target, write)


def write_atomically(target: Path, write: Callable[[Path], object]) -> None:
    """Lets `write` fill a new file, checks it, and renames it to `target`. If anything fails, `target` stays as it was.

    Raises SaveTooNew if a newer npc-server made `target`.
    """
    with database.explained(target):
        fresh = unfinished(target)
        try:
            write(fresh)
            database.check(fresh, just_written=True)
            _refuse_newer(target)
            replace(fresh, target)
        except BaseException:
            discard(fresh)
            raise


def _refuse_newer(target: Path) -> None:
    with suppress(SaveNotFound, SaveDamaged), database.reading(target) as db:
        database.check_version(db, target)


def replace(fresh: Path, target: Path) -> None:
    """Renames `fresh`, which nobody has open, to `target`. Raises SaveInUse when another program has `target` open.

    The old file's journals are merged into it first. So after a crash at any moment, the old save or the new one is there, complete.
    """
    merge_journals(fresh)
    sync_file(fresh)
    try:
        merge_journals(target)
    except SaveDamaged:  # The old file holds nothing worth keeping.
        for left in _journal_files(target):
            left.unlink(missing_ok=True)
    platform_files.move_over(fresh, target)
    platform_files.sync_folder(target.parent)


def merge_journals(path: Path) -> None:
    """Merges a save's log or journal into it, as SQLite does when it opens a file to write. One file remains.

    Raises SaveInUse when another program has it open, SaveFull, and SaveDamaged.
    """
    if not _journal_files(path):
        return
    with database.explained(path, suspect=True):
        if path.is_file():
            with closing(database.connect(path, "rw")) as connection:
                connection.execute("PRAGMA locking_mode = EXCLUSIVE")
                connection.execute("PRAGMA synchronous = FULL")
                connection.execute("PRAGMA journal_mode = DELETE").fetchone()
                # Nobody else has it open, so journals that are still there are not in use.
                connection.execute("BEGIN EXCLUSIVE")
                connection.execute("COMMIT")
        for left in _journal_files(path):
            left.unlink(missing_ok=True)


def copy(source: Path, fresh: Path, is_sound: Callable[[], bool] = lambda: False) -> None:
    """Copies the save at `source`, with what its log or journal holds, to `fresh`, and checks the copy. `source` is not changed.

    After copying, `is_sound` says whether `source` is still a file that was checked before. Then the copy is not checked again.
    Raises SaveNotFound, SaveInUse while another program writes it, SaveFull, SaveTooNew and SaveDamaged.
    """
    with database.reading(source) as db:
        db.conn.execute("BEGIN")
        db.conn.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()  # takes a read lock, so that nobody writes
        alone = not _journal_files(source)
        if alone:
            shutil.copyfile(source, fresh)
        else:
            with _blaming_journals(source):
                database.check_sound(db, source)
            db.conn.execute("COMMIT")
            db.conn.execute("VACUUM INTO ?", (str(fresh),))
    # Otherwise the first commit would wait until the copy is on the disk. The check needs another core.
    with ThreadPoolExecutor(1, "sync") as beside, nullcontext() if alone else _blaming_journals(source):
        synced = beside.submit(sync_file, fresh)
        with database.reading(fresh, called=source) as db:
            if alone and is_sound():
                database.check_ours(db, source)
            else:
                database.check_sound(db, source, just_written=True)
        synced.result()


@contextmanager
def _blaming_journals(path: Path) -> Iterator[None]:
    """Adds to SaveDamaged that another program's log or journal may be the cause."""
    try:
        yield
    except SaveDamaged as error:
        names = " and ".join(repr(it.name) for it in _journal_files(path) if not it.name.endswith("-shm"))
        raise SaveDamaged(
            f"{error.what} Another program left {names} beside it.",
            f"If you restored {path.name!r} from a backup, delete {names}. If not, choose another save.",
            path=path,
        ) from error


def remove(path: Path) -> None:
    """Removes a save with its log and journal.

    The save goes first: SQLite ignores a log without its file, but a file without its log may be incomplete.
    """
    for name in (path.name, *(f"{path.name}{end}" for end in _JOURNALS)):
        with suppress(FileNotFoundError):
            path.with_name(name).unlink()


def discard(fresh: Path) -> None:
    """Removes a file that is not needed after all. One that cannot be removed is swept later, as after a crash."""
    with suppress(OSError):
        remove(fresh)


def _journal_files(path: Path) -> list[Path]:
    """The log, index and journal beside a save, as far as they exist."""
    return [it for it in (path.with_name(f"{path.name}{end}") for end in _JOURNALS) if it.exists()]


def sync_file(path: Path) -> None:
    """Writes the file's content through to the disk."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())
