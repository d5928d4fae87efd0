"""Opening a SQLite file as a save, and saying in our own errors what SQLite says in its own. Everything here blocks."""

from __future__ import annotations

import errno
import os
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from urllib.parse import quote

from sqlite_utils import Database

from npc_server.errors import SaveDamaged, SaveError, SaveFull, SaveInUse, SaveNotFound, SaveTooNew
from npc_server.memory import shape
from npc_server.memory.limits import MOST_BYTES, limited
from npc_server.memory.migrations import APPLICATION_ID, migrate, newest_version

PATIENCE_MS = 300
"""A look into a file, such as whose save it is, passes in less."""
MOST_AHEAD, CHUNK = 1 << 30, 1 << 23
"""Bytes. Nobody's save is as large as the first. After each of the second a busy thread may keep Python's lock for milliseconds."""


def connect(path: Path, mode: str) -> sqlite3.Connection:
    """A bare connection; `mode` is `ro`, `rw` or `rwc`. Nothing runs in a transaction unless it says BEGIN."""
    uri = f"file:{quote(os.fsencode(path.absolute()))}?mode={mode}"
    connection = sqlite3.connect(uri, uri=True, timeout=0, isolation_level=None)
    # A save may come from a stranger.
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    if sys.version_info >= (3, 11):
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_BYTES)
    return connection


def as_database(connection: sqlite3.Connection) -> Database:
    return Database(connection, execute_plugins=False)


def open_writer(path: Path, checked: bool = False) -> Database:
    """The one connection that writes `path`: exclusive, WAL, full sync, foreign keys on, migrated.

    A file that was just found sound is `checked`, and not read through again. Raises SaveError; a file that cannot be used is
    left byte for byte as it was.
    """
    with reading(path) as found:
        (check_ours if checked else check_sound)(found, path)
    with explained(path, suspect=True):
        connection = connect(path, "rw")
        try:
            # Exclusive before the first access: no other process can read or write, and SQLite needs no shared memory.
            # Two connections that write a WAL can corrupt it in SQLite before 3.51.3.
            connection.execute(f"PRAGMA busy_timeout = {PATIENCE_MS}")
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
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
    """A connection that reads `path` as the last commit left it and changes nothing, not even after a crash.

    It reads for as long as a save of the file's size can need, then raises SaveDamaged; and Stopping once `stopping` is set.
    Errors are about `called`, of which `path` may be a copy.
    """
    if not path.is_file():
        raise SaveNotFound(f"There is no save {path.name!r}.", "List the saves to see which there are.", path=path)
    with explained(called or path, suspect=True):
        connection = connect(path, "ro")
        try:
            with limited(connection, path, stopping, (called or path).name):
                yield as_database(connection)
        finally:
            connection.close()


def check(path: Path, just_written: bool = False) -> None:
    """Raises SaveNotFound, SaveInUse, SaveTooNew or SaveDamaged when `path` is not a sound save; changes nothing."""
    with reading(path) as database:
        check_sound(database, path, just_written)


def check_sound(database: Database, path: Path, just_written: bool = False) -> None:
    """As `check_ours`, and reads the whole file: a tenth of a second for each 50 MB.

    A file `just_written` is still in the system's memory, and not brought there first.
    """
    check_ours(database, path)
    if not just_written:
        read_ahead(path, database)
    found = [str(row[0]) for row in database.conn.execute("PRAGMA integrity_check(3)")]
    if found != ["ok"]:
        raise damaged(path, "; ".join(found))
    # Read as a whole where migrating will: text that is no text is not found by the integrity check.
    database.conn.execute("SELECT * FROM _sqlite_migrations").fetchall()
    orphans = database.conn.execute("PRAGMA foreign_key_check").fetchone()
    if orphans is not None:
        raise damaged(path, f"a row of {orphans[0]} belongs to nothing in {orphans[2]}")


def read_ahead(path: Path, database: Database) -> None:
    """From front to back, into the system's memory: the check reads it criss-cross, which takes a disk seven times as long."""
    pages, size = (int(database.conn.execute(f"PRAGMA {what}").fetchone()[0]) for what in ("page_count", "page_size"))
    left = min(pages * size, MOST_AHEAD)
    into = memoryview(bytearray(min(left, CHUNK)))
    with path.open("rb", buffering=0) as file:
        while left > 0 and (found := file.readinto(into)):
            left -= found


def check_ours(database: Database, path: Path) -> None:
    """Whether the file says that it is a save, of a version that is known, with that version's tables and nothing that acts by itself."""
    connection = database.conn
    with path.open("rb") as file:
        versions = file.read(20)[18:20]
    # SQLite reads a file whose write version it does not know, and refuses to write it only later.
    if any(version not in (1, 2) for version in versions):
        raise damaged(path, "its header names a way of writing that SQLite does not know")
    ours = connection.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if not ours or version < 1:
        raise SaveDamaged(
            f"{path.name!r} is not a save of npc-server.", "Choose another save, or bring this one back from a copy.", path=path
        )
    if version > newest_version():
        raise SaveTooNew(
            f"{path.name!r} was made by a newer npc-server (its format is {version}, this one knows {newest_version()}).",
            "Update npc-server, or choose another save.",
            path=path,
        )
    strange = shape.strange(connection, version)
    if strange:
        raise damaged(path, strange)


def full(path: Path) -> SaveFull:
    return SaveFull(f"The disk is full, {path.name!r} could not be written.", "Make room; what was acknowledged is safe.", path=path)


def damaged(path: Path, why: str) -> SaveDamaged:
    return SaveDamaged(f"{path.name!r} is damaged: {why}.", "Choose another save, or bring this one back from a copy.", path=path)


@contextmanager
def explained(path: Path, suspect: bool = False) -> Iterator[None]:
    """SQLite's errors about the file become SaveErrors.

    Those about a statement stay, since they are our mistakes, unless the file is `suspect`: not yet known to be a sound save.
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
    except UnicodeDecodeError as error:  # a spoiled name in the schema, which SQLite repeats in what it says
        raise damaged(path, "it holds text that is no UTF-8") from error
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise full(path) from error
        raise SaveError(f"{path.name!r} cannot be read or written: {error}.", "Check the folder and its permissions.", path=path) from error


def explain(error: sqlite3.Error, path: Path) -> SaveError | None:
    """By SQLite's own words: Python 3.10 does not give the code."""
    text = str(error)
    if "is full" in text:
        return full(path)
    if "is locked" in text:
        return SaveInUse(f"{path.name!r} is open in another session or process.", "Close it there first.", path=path)
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
