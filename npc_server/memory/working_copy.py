"""The working copy: the file that a session writes to, and from which save it continues. Everything here blocks but `open_store`."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path

from sqlite_utils import Database

from npc_server.errors import SaveDamaged, SaveError, SaveNotFound
from npc_server.memory import database, inbox, meta
from npc_server.memory.meta import SaveMeta
from npc_server.memory.store import Store


@dataclass(frozen=True)
class WorkingCopy:
    """The file that a session opens, and its epoch.

    The epoch is new, unless a game that lost the server resumes its old one. A working copy that a crash left is already in its `place`. A
    new one has another `path`, and `Store.move` moves it to its place once the session is ready. Until then, the earlier one is kept.
    """

    slot: str
    path: Path
    place: Path
    epoch: int
    recovered: bool
    """Whether it is what a crash left."""
    base: str = ""
    """`SaveMeta.save_id` of the slot's file."""


async def open_store(copy: WorkingCopy, commit_wait_ms: float, *, full_sync: bool = True) -> Store:
    """Opens the store of a working copy and begins its epoch. The file was checked when it was made. Raises as `Store.open` does."""
    store = await Store.open(copy.path, commit_wait_ms, checked=True, full_sync=full_sync)
    try:
        await store.do(lambda db: _begin(db, copy))
    except BaseException:
        await store.close()
        raise
    return store


def _begin(db: Database, copy: WorkingCopy) -> None:
    if not copy.recovered:
        meta.write(db, base_id=copy.base, play_id=new_id())
    if meta.read(db).epoch != copy.epoch:
        inbox.begin_epoch(db, copy.epoch)


def new_id() -> str:
    """A random id for a file."""
    return secrets.token_hex(8)


def continues_from(play: Path, save: Path) -> bool:
    """Whether the working copy `play` continues from the save `save`.

    It does if it was made from that save, or wrote it. Otherwise the save was replaced since. Either a session saved to this slot and was
    killed before it could remove `play`, or a person restored a backup. Without a save that can be read, what was played is the best
    that there is. Raises SaveInUse, SaveTooNew or another SaveError if the save may be sound and yet cannot be read.
    """
    try:
        played = _read(play)
    except SaveError:
        return True  # Opening the working copy reports what is wrong.
    try:
        return _goes_on(played, _read(save))
    except (SaveNotFound, SaveDamaged):
        return True


def _goes_on(play: SaveMeta, save: SaveMeta) -> bool:
    return play.base_id == save.save_id or (bool(play.play_id) and play.play_id == save.play_id)


def _read(path: Path) -> SaveMeta:
    with database.reading(path) as db:
        database.check_ours(db, path)
        return meta.read(db)
