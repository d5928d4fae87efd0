"""Opens SQLite files as saves, checks them, and turns SQLite's errors into ours. Everything here blocks."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import Event
from urllib.parse import quote

from sqlite_utils import Database

from npc_server.errors import SaveDamaged, SaveError, SaveFull, SaveInUse, SaveNotFound, SaveTooNew
from npc_server.memory import schema_check
from npc_server.memory.limits import MOST_BYTES, limited
from npc_server.memory.migrations import APPLICATION_ID, migrate, newest_version

PATIENCE_MS = 300
"""Milliseconds to wait for a locked file. A short read by another program, for example to list the save, takes less."""
MOST_AHEAD, CHUNK = 1 << 30, 1 << 23
"""Bytes to read ahead, in all and at a time. No real save is larger than the first. Each read releases Python's lock, and getting it
back can take milliseconds."""
_COPIED = ("", "-journal", "-wal")
"""The endings of a save and of what SQLite needs beside it after a crash."""


def connect(path: Path, mode: str) -> sqlite3.Connection:
    """A plain connection in autocommit. `mode` is `ro` (read), `rw` (write) or `rwc` (write, and create the file)."""
    uri = f"file:{quote(os.fsencode(path.absolute()))}?mode={mode}"
    connection = sqlite3.connect(uri, uri=True, timeout=0, isolation_level=None)
    # A save may come from a stranger, so SQL inside the file is not trusted.
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    if sys.version_info >= (3, 11):
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_BYTES)
    return connection


def as_database(connection: sqlite3.Connection) -> Database:
    """The connection for sqlite-utils, without its plugins."""
    return Database(connection, execute_plugins=False)


def open_writer(path: Path, checked: bool = False, *, full_sync: bool = True) -> Database:
    """Opens `path` for its only writer: exclusive, with a write-ahead log, full sync and foreign keys, and migrates it.

    `checked` says that the file was just found to be sound, so it is not read completely again. Without
    `full_sync`, a commit does not wait for the disk. Raises SaveError. A file that cannot be
    used stays unchanged, byte for byte.
    """
    with reading(path) as found:
        (check_ours if checked else check_sound)(found, path)
    with explained(path, suspect=True):
        connection = connect(path, "rw")
        try:
            # Exclusive before the first access, so that no other process can read or write and SQLite needs no shared memory.
            # Before SQLite 3.51.3, two connections that write a WAL can corrupt it.
            connection.execute(f"PRAGMA busy_timeout = {PATIENCE_MS}")
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute(f"PRAGMA synchronous = {'FULL' if full_sync else 'OFF'}")
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("COMMIT")
            database = as_database(connection)
            migrate(database)
        except BaseException:
            connection.close()
            raise
    return database


@contextmanager
def reading(path: Path, stopping: Event | None = None, called: Path | None = None) -> Iterator[Database]:
    """A connection that reads the last commit of `path` and changes nothing, not even after a crash.

    Raises SaveNotFound, SaveDamaged when reading takes longer than any save of that size needs, and Stopping once `stopping` is set.
    If `path` is a copy, `called` is the original, which errors name.
    """
    with explained(called or path, suspect=True):
        if not path.is_file():
            raise SaveNotFound(f"There is no save {path.name!r}.", "List the saves to see which there are.", path=path)
        with (
            _rolled_back(path) as readable,
            closing(connect(readable, "ro")) as connection,
            limited(connection, readable, stopping, (called or path).name),
        ):
            yield as_database(connection)


@contextmanager
def _rolled_back(path: Path) -> Iterator[Path]:
    """`path` itself, or a private copy of it without the change that a program left half-written when it died.

    SQLite undoes such a change by its journal as soon as somebody opens the file to write. It refuses to let anybody read the file before.
    Raises SaveInUse if the file changes while it is copied.
    """
    if not _has_hot_journal(path):
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="npc-server-look-") as folder:
        copied = Path(folder) / "look.sqlite"
        before = _stamps(path)
        for end in _COPIED:
            with suppress(FileNotFoundError):
                shutil.copyfile(path.with_name(f"{path.name}{end}"), copied.with_name(f"{copied.name}{end}"))
        if _stamps(path) != before:
            raise _in_use(path)
        with closing(connect(copied, "rw")) as connection:
            connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
        yield copied


def _has_hot_journal(path: Path) -> bool:
    """Whether a journal lies beside the file that SQLite must roll back first. Any other error is left to who reads the file."""
    if not path.with_name(f"{path.name}-journal").is_file():
        return False
    try:
        with closing(connect(path, "ro")) as connection:
            connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
    except sqlite3.Error as error:
        return "readonly" in str(error)
    return False


def _stamps(path: Path) -> list[tuple[int, int]]:
    beside = [path.with_name(f"{path.name}{end}") for end in _COPIED]
    return [(it.stat().st_size, it.stat().st_mtime_ns) if it.is_file() else (-1, 0) for it in beside]


def check(path: Path, just_written: bool = False) -> None:
    """Checks that `path` is a sound save, and changes nothing. Raises SaveNotFound, SaveInUse, SaveTooNew or SaveDamaged."""
    with reading(path) as database:
        check_sound(database, path, just_written)


def check_sound(database: Database, path: Path, just_written: bool = False) -> None:
    """Does what `check_ours` does, and SQLite's integrity check of the whole file. This takes a tenth of a second for each 50 MB.

    `just_written` says that the file is still in the system's cache, so it is not read ahead. Raises SaveTooNew or SaveDamaged.
    """
    check_ours(database, path)
    if not just_written:
        read_ahead(path, database)
    found = [str(row[0]) for row in database.conn.execute("PRAGMA integrity_check(3)")]
    if found != ["ok"]:
        raise damaged(path, "; ".join(found))
    # Migrating reads this table completely, and the integrity check does not find text that is not UTF-8.
    database.conn.execute("SELECT * FROM _sqlite_migrations").fetchall()
    orphans = database.conn.execute("PRAGMA foreign_key_check").fetchone()
    if orphans is not None:
        raise damaged(path, f"a row of {orphans[0]} belongs to nothing in {orphans[2]}")


def read_ahead(path: Path, database: Database) -> None:
    """Reads the file from front to back into the system's cache. On a disk, the check's random reads would take seven times as long."""
    pages, size = (int(database.conn.execute(f"PRAGMA {what}").fetchone()[0]) for what in ("page_count", "page_size"))
    left = min(pages * size, MOST_AHEAD)
    into = memoryview(bytearray(min(left, CHUNK)))
    with path.open("rb", buffering=0) as file:
        while left > 0 and (found := file.readinto(into)):
            left -= found


def check_ours(database: Database, path: Path) -> None:
    """Checks that the file is a save of a known version, with that version's tables and no triggers or views in their place.

    Raises SaveTooNew or SaveDamaged.
    """
    version = check_version(database, path)
    mismatch = schema_check.first_mismatch(database.conn, version)
    if mismatch:
        raise damaged(path, mismatch)


def check_version(database: Database, path: Path) -> int:
    """The version of a save's tables. Raises SaveTooNew if a newer npc-server made it, and SaveDamaged if it is no save."""
    connection = database.conn
    with path.open("rb") as file:
        versions = file.read(20)[18:20]
    # SQLite reads a file with an unknown write version, and only refuses later, when it should write.
    if any(version not in (1, 2) for version in versions):
        raise damaged(path, "its header names a write version that SQLite does not know")
    ours = connection.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if not ours or version < 1:
        raise SaveDamaged(
            f"{path.name!r} is not a save of npc-server.", "Choose another save, or restore this one from a backup.", path=path
        )
    if version > newest_version():
        raise SaveTooNew(
            f"{path.name!r} was made by a newer npc-server (its format is {version}, this one knows {newest_version()}).",
            "Update npc-server, or choose another save.",
            path=path,
        )
    return int(version)


def full(path: Path) -> SaveFull:
    """The error for a disk without room for `path`."""
    return SaveFull(
        f"The disk is full, so {path.name!r} could not be written.", "Free some space. What was acknowledged is safe.", path=path
    )


def _in_use(path: Path) -> SaveInUse:
    return SaveInUse(f"{path.name!r} is open in another session or process.", "Close it there first.", path=path)


def damaged(path: Path, why: str) -> SaveDamaged:
    """The error for a file that is no sound save. `why` ends a sentence, without its full stop."""
    return SaveDamaged(f"{path.name!r} is damaged: {why}.", "Choose another save, or restore this one from a backup.", path=path)


@contextmanager
def explained(path: Path, suspect: bool = False) -> Iterator[None]:
    """Turns SQLite's errors about the file at `path` into SaveErrors.

    Errors about an SQL statement stay, since they are bugs of ours. But a file that nobody has checked yet is `suspect`, and then they
    become SaveDamaged.
    """
    try:
        yield
    except sqlite3.Error as error:
        mended = explain(error, path)
        if mended is None and suspect:
            mended = damaged(path, str(error))
        if mended is None:
            raise
        raise mended from error
    except UnicodeDecodeError as error:  # SQLite's message quotes a damaged name of the schema.
        raise damaged(path, "it holds text that is not UTF-8") from error
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise full(path) from error
        raise SaveError(f"{path.name!r} cannot be read or written: {error}.", "Check the folder and its permissions.", path=path) from error


def explain(error: sqlite3.Error, path: Path) -> SaveError | None:
    """The SaveError for an error of SQLite about the file, or None for one about a statement.

    It reads the message, because Python 3.10 does not give the error code.
    """
    text = str(error)
    if "is full" in text:
        return full(path)
    if "is locked" in text:
        return _in_use(path)
    if (
        "malformed" in text
        or "not a database" in text
        or "Could not decode" in text
        or "unsupported file format" in text
        or "too big" in text
    ):
        return damaged(path, text)
    if "disk I/O error" in text or "unable to open" in text or "readonly" in text:
        return SaveError(f"{path.name!r} cannot be read or written: {text}.", "Check the disk, the folder and its permissions.", path=path)
    if isinstance(error, sqlite3.OperationalError) and ("no such table" in text or "no such column" in text):
        return damaged(path, text)
    return None
