"""Copies of saves that are whole or not there. Everything here blocks."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from sqlite_utils import Database

from npc_server.memory import database

LEFTOVER = ".tmp-"
"""Part of the name of every unfinished file."""


def unfinished(target: Path) -> Path:
    """A name beside `target` for what is to become it."""
    return target.with_name(f".{target.name}{LEFTOVER}{secrets.token_hex(6)}")


def snapshot(db: Database, target: Path) -> None:
    """Copies what is committed to `target`: written beside it, checked, synced, renamed over it."""
    write_whole(target, lambda fresh: db.conn.execute("VACUUM INTO ?", (str(fresh),)))


def write_whole(target: Path, write: Callable[[Path], object]) -> None:
    """`write` makes a save at the path it gets; that becomes `target` at once, or `target` stays as it was."""
    fresh = unfinished(target)
    try:
        with database.explained(target):
            write(fresh)
            database.check(fresh)
            sync_file(fresh)
            fresh.replace(target)
            sync_folder(target.parent)
    except BaseException:
        remove(fresh)
        raise


def remove(path: Path) -> None:
    """Removes a database and what SQLite keeps beside it.

    The file goes first: a log without its file is ignored, a file without its log could be half of one.
    """
    for name in (path.name, f"{path.name}-wal", f"{path.name}-shm", f"{path.name}-journal"):
        with suppress(FileNotFoundError):
            path.with_name(name).unlink()


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
