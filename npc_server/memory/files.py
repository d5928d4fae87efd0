"""Copies of saves that are whole or not there. Everything here blocks.

SQLite keeps what is not yet in a file beside it: a log (`-wal`) or a journal (`-journal`). Another program that reads or edits a
save may leave them there. They are part of that file, and would spoil any other that gets its name.
"""

from __future__ import annotations

import os
import secrets
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext, suppress
from pathlib import Path

from sqlite_utils import Database

from npc_server.errors import SaveDamaged
from npc_server.memory import database

LEFTOVER = ".tmp-"
"""Part of the name of every unfinished file."""
_BESIDE = ("-wal", "-shm", "-journal")


def unfinished(target: Path) -> Path:
    """A name beside `target` for what is to become it."""
    return target.with_name(f".{target.name}{LEFTOVER}{secrets.token_hex(6)}")


def snapshot(copy: Callable[[Path], object], target: Path, edit: Callable[[Database], object] = lambda db: None) -> None:
    """Puts a save at `target`: copied by `copy` (see `Store.copy`), edited in one transaction, checked, synced, renamed."""

    def write(fresh: Path) -> None:
        copy(fresh)
        with closing(database.connect(fresh, "rw")) as connection:
            connection.execute("PRAGMA synchronous = OFF")  # it is synced when it is whole
            # Of a file that is played; a slot is a single file, which needs nothing beside it.
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            connection.execute("PRAGMA journal_mode = DELETE").fetchall()
            connection.execute("PRAGMA journal_mode = MEMORY").fetchall()
            db = database.as_database(connection)
            with db.atomic():
                edit(db)

    write_whole(target, write)


def write_whole(target: Path, write: Callable[[Path], object]) -> None:
    """`write` makes a save at the path it gets; that becomes `target` at once, or `target` stays as it was."""
    fresh = unfinished(target)
    try:
        with database.explained(target):
            write(fresh)
            database.check(fresh, just_written=True)
            replace(fresh, target)
    except BaseException:
        remove(fresh)
        raise


def replace(fresh: Path, target: Path) -> None:
    """`fresh`, which nobody has open, becomes `target` at once. Raises SaveInUse when another program has `target` open.

    What lies beside the old file goes into it first: a crash at any moment leaves the old save, whole, or the new one.
    """
    take_in(fresh)
    sync_file(fresh)
    try:
        take_in(target)
    except SaveDamaged:  # there is nothing to keep of it
        for left in _beside(target):
            left.unlink(missing_ok=True)
    fresh.replace(target)
    sync_folder(target.parent)


def take_in(path: Path) -> None:
    """Brings what lies beside a save into it, as SQLite does when it opens one to write, and leaves one file.

    Raises SaveInUse when another program has it open, SaveFull, and SaveDamaged.
    """
    if not _beside(path):
        return
    with database.explained(path, suspect=True):
        if path.is_file():
            with closing(database.connect(path, "rw")) as connection:
                connection.execute("PRAGMA locking_mode = EXCLUSIVE")
                connection.execute("PRAGMA synchronous = FULL")
                connection.execute("PRAGMA journal_mode = DELETE").fetchone()
                # Nobody else is in it, so what is beside it now is nobody's.
                connection.execute("BEGIN EXCLUSIVE")
                connection.execute("COMMIT")
        for left in _beside(path):
            left.unlink(missing_ok=True)


def copy(source: Path, fresh: Path) -> None:
    """Copies the save at `source` as SQLite reads it, with what lies beside it. Neither is changed. The copy is sound.

    Raises SaveNotFound, SaveInUse while another program writes it, SaveFull, SaveTooNew and SaveDamaged.
    """
    with database.reading(source) as db, database.explained(source, suspect=True):
        try:
            db.conn.execute("BEGIN")
            db.conn.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()  # from now on nobody writes into the file itself
            alone = not _beside(source)
            if alone:
                shutil.copyfile(source, fresh)
            else:
                with _blaming_what_lies_beside(source):
                    database.check_sound(db, source)
                db.conn.execute("COMMIT")
                db.conn.execute("VACUUM INTO ?", (str(fresh),))
        except sqlite3.OperationalError as error:
            if "readonly" not in str(error):
                raise
            alone = False
            _copy_undone(source, fresh)
    with database.reading(fresh, called=source) as db, nullcontext() if alone else _blaming_what_lies_beside(source):
        database.check_sound(db, source, just_written=True)


def _copy_undone(source: Path, fresh: Path) -> None:
    """Copies a save that a program left half-written when it died, and takes back in the copy what its journal says."""
    for end in ("", "-journal", "-wal"):
        with suppress(FileNotFoundError):
            shutil.copyfile(source.with_name(f"{source.name}{end}"), fresh.with_name(f"{fresh.name}{end}"))
    take_in(fresh)


@contextmanager
def _blaming_what_lies_beside(path: Path) -> Iterator[None]:
    try:
        yield
    except SaveDamaged as error:
        names = " and ".join(repr(it.name) for it in _beside(path) if not it.name.endswith("-shm"))
        raise SaveDamaged(
            f"{error.what} Another program left {names} beside it.",
            f"If you brought {path.name!r} back from a copy, remove {names}; else choose another save.",
            path=path,
        ) from error


def remove(path: Path) -> None:
    """Removes a database and what SQLite keeps beside it.

    The file goes first: a log without its file is ignored, a file without its log could be half of one.
    """
    for name in (path.name, *(f"{path.name}{end}" for end in _BESIDE)):
        with suppress(FileNotFoundError):
            path.with_name(name).unlink()


def _beside(path: Path) -> list[Path]:
    return [it for it in (path.with_name(f"{path.name}{end}") for end in _BESIDE) if it.exists()]


def sync_file(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Makes names in `folder` last through a power cut. Windows has no such call, and keeps names in its journal."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
