"""The file that a session plays on, and which save it goes on from. Blocks, but for `open_store`."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path

from sqlite_utils import Database

from npc_server.errors import SaveError
from npc_server.memory import database, inbox, meta
from npc_server.memory.meta import SaveMeta
from npc_server.memory.store import Store


@dataclass(frozen=True)
class WorkingCopy:
    """What a session opens its store on, at an epoch that was never given before, or again at that of a game that lost the server.

    One that continues what a crash left is in its `place`. A new one lies beside, and gets there by `Store.move` once its people live:
    until then, what was played before is still there.
    """

    slot: str
    path: Path
    place: Path
    epoch: int
    recovered: bool
    base: str = ""
    """`save_id` of the slot's file."""


async def open_store(copy: WorkingCopy, commit_wait_ms: float) -> Store:
    """The store of a working copy, which was found sound when it was made, at its epoch. Raises as `Store.open`."""
    store = await Store.open(copy.path, commit_wait_ms, checked=True)
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
    """Of a file; says nothing of what is in it."""
    return secrets.token_hex(8)


def goes_on_from(play: Path, save: Path) -> bool:
    """Whether what was played in the file `play` comes after the file `save`.

    It does when it began at that save, or wrote it. Else somebody put another save in its place since: a session that saved to this
    slot and was killed before it could remove `play`, or a person who brought a file back from a backup.
    """
    try:
        return _goes_on(_read(play), _read(save))
    except SaveError:
        return True  # opening it says what is wrong


def _goes_on(play: SaveMeta, save: SaveMeta) -> bool:
    return play.base_id == save.save_id or (bool(play.play_id) and play.play_id == save.play_id)


def _read(path: Path) -> SaveMeta:
    with database.reading(path) as db:
        database.check_ours(db, path)
        return meta.read(db)
