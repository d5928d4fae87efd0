"""The slots in a folder of saves, and the working copies of open slots.

`<slot>.npcsave` is only ever replaced as a whole. While the slot is open, `<slot>.play.sqlite` beside it is the working copy, where every
change is written at once. It is removed when the session ends. A working copy that is found later was left by a crash, and a session
can continue from it.

Every method blocks, so call them from a thread. An open slot is locked.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TypeVar

from sqlite_utils import Database

from npc_server.errors import BadInput, SaveDamaged, SaveError, SaveExists, SaveInUse, SaveNotFound
from npc_server.memory import database, files, meta, places
from npc_server.memory.create import create
from npc_server.memory.listing import PLAY, Listing, known_info, read_info
from npc_server.memory.lock import FileLock
from npc_server.memory.suffix import SUFFIX
from npc_server.memory.working_copy import WorkingCopy, continues_from, new_id
from npc_server.platform import files as platform_files
from npc_server.records import Document, SaveInfo

T = TypeVar("T")
Owner = tuple[str, str]
"""The ids of the game and the town of a save. Either may be empty."""
_NAME = re.compile(r"[A-Za-z0-9_-](?:[A-Za-z0-9 _-]{0,62}[A-Za-z0-9_-])?")
_RESERVED = re.compile(r"con|prn|aux|nul|com[0-9]|lpt[0-9]", re.IGNORECASE)
_PATIENCE_S = 0.3
"""Seconds to wait for a slot's lock before it counts as in use. Somebody who lists the folder holds a lock for less."""
_GLANCE_S = 0.02
"""Seconds to wait for a lock when listing saves."""


class Slots:
    """The saves in one folder. Several processes may use the same folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._held: dict[str, FileLock] = {}
        self._gate = threading.Lock()
        self._listing = Listing(folder, lambda slot: self._acquire(slot, _GLANCE_S))

    def path(self, slot: str) -> Path:
        """The path of the slot's file. Raises BadInput for an invalid name."""
        return self.folder / f"{checked_name(slot)}{SUFFIX}"

    # ---- reading

    def saves(self) -> list[SaveInfo]:
        """Every slot, the newest first. One that cannot be opened says why in `problem`; see `Listing.saves`."""
        return self._listing.saves()

    def info(self, slot: str) -> SaveInfo:
        """Checks and describes the slot's file. Raises SaveNotFound, SaveDamaged and SaveTooNew."""
        return read_info(slot, self.path(slot))

    def stop(self) -> None:
        """Makes `saves` stop at once, since the server stops."""
        self._listing.stopping.set()

    def owner(self, slot: str, discard_unsaved: bool = False) -> Owner:
        """The ids of the game and the town that opening the slot would load. Raises as `open_working_copy` does."""
        return self._read_what_opens(slot, discard_unsaved, _owner)

    def owners(self, slot: str) -> list[Owner]:
        """The owner of each file that saving over the slot or creating it anew would replace; empty if there is none.

        Raises SaveInUse while the slot is open, and SaveError if a file cannot be read, since nobody knows whose it is then.
        """
        with self._free(slot):
            return self._owners(slot)

    def _owners(self, slot: str) -> list[Owner]:
        found: list[Owner] = []
        for path in (self.path(slot), self._play(slot)):
            try:
                found.append(_read_ours(path, _owner))
            except SaveNotFound:
                continue
            except SaveDamaged as error:
                if found:
                    continue  # What is left of unsaved play belongs to the save.
                raise SaveDamaged(
                    f"The save {slot!r} cannot be replaced, since nobody can tell whose it is: {error.what}",
                    "Use another name, or delete this save first.",
                    slot=slot,
                ) from error
        return found

    def people_files(self, slot: str, discard_unsaved: bool = False) -> tuple[str, list[Document]]:
        """The town's id and the persona files that opening the slot would load. Raises as `open_working_copy` does."""
        return self._read_what_opens(slot, discard_unsaved, lambda db: (places.root(db), meta.documents(db, "persona")))

    def _read_what_opens(self, slot: str, discard_unsaved: bool, read: Callable[[Database], T]) -> T:
        # A session that plays the slot has its working copy locked, and only for a moment once it ends. The slot's file is free.
        with nullcontext() if discard_unsaved else self._free(slot):
            path = self._what_opens(slot, discard_unsaved)
            with nullcontext() if path == self.path(slot) else _blaming_play(slot):
                return _read_ours(path, read)

    def _what_opens(self, slot: str, discard_unsaved: bool) -> Path:
        """The file from which the slot is opened. Raises SaveNotFound, and SaveTooNew if unsaved play would hide a newer version's save."""
        save, play = self.path(slot), self._play(slot)
        with database.explained(save):
            if not discard_unsaved and play.is_file() and continues_from(play, save):
                return play
            if not save.is_file():
                raise _not_found(slot)
        return save

    # ---- creating and deleting

    def create(self, slot: str, fill: Callable[[Database], object], in_place: bool = False) -> SaveInfo:
        """Creates a slot. `fill` stores its first content in one transaction. `in_place` allows replacing a slot of the same name.

        Raises SaveExists, SaveInUse, BadInput and SaveFull. Then an old slot is as it was.
        """
        path = self.path(slot)
        with self._free(slot), database.explained(path):
            self._clean(slot)
            old = path.is_file() or self._play(slot).is_file()
            if self._taken(slot) and not (in_place and old):
                raise SaveExists(f"There is a save {slot!r} already.", "Choose another name, or delete it first.", slot=slot)

            def fill_and_name(db: Database) -> None:
                fill(db)
                meta.write(db, save_id=new_id())

            create(path, fill_and_name)
            self._drop_former_play(slot)
            return known_info(slot, path)

    def delete(self, slot: str) -> None:
        """Deletes the slot and a working copy that a crash left. Raises SaveNotFound, and SaveInUse while it is open."""
        path = self.path(slot)
        with self._free(slot), database.explained(path):
            play = self._play(slot)
            if not path.is_file() and not play.is_file():
                raise _not_found(slot)
            self._clean(slot)
            files.remove(play)
            files.remove(path)
            platform_files.sync_folder(self.folder)

    # ---- opening, saving and closing

    def open_working_copy(self, slot: str, resume_epoch: int = 0, discard_unsaved: bool = False) -> WorkingCopy:
        """Locks the slot until `close`, and returns its working copy, with an epoch that was never used before.

        A working copy that a crash left is continued, unless `discard_unsaved` is set. It keeps its epoch if that is `resume_epoch`.
        Raises SaveNotFound, SaveInUse, SaveDamaged, SaveTooNew and SaveFull. Then nothing is changed and the lock is free.
        """
        path, play = self.path(slot), self._play(slot)
        self._listing.sweep()
        lock = self._acquire(slot)
        try:
            with database.explained(play):
                self._clean(slot)
                if self._what_opens(slot, discard_unsaved) == play:
                    copy = self._continue(slot, play, lock, resume_epoch)
                else:
                    copy = self._begin(slot, path, lock)
        except BaseException:
            lock.release()
            raise
        with self._gate:
            self._held[slot.casefold()] = lock
        return copy

    def load(self, playing: str, slot: str) -> WorkingCopy:
        """Makes a new working copy of the open slot `playing`, at a new epoch, with the content of `slot`.

        The present working copy is kept until the new one is moved to its place. Raises as `open_working_copy` does.
        """
        lock = self._lock_of(playing)
        with database.explained(self._play(playing)):
            return self._begin(playing, self.path(slot), lock)

    def save(self, copy: Callable[[Path], object], playing: str, slot: str, saved_at: int) -> SaveInfo:
        """Saves what the open slot `playing` has on disk to `slot`, atomically. `saved_at` is wall time in Unix seconds.

        `copy` is `Store.copy`, during which the session continues. Raises SaveInUse when `slot` or its file is open elsewhere,
        SaveExists when its name differs from another slot only in case, and SaveFull when there is no room.
        """
        self._lock_of(playing)
        target = self.path(slot)
        if slot.casefold() == playing.casefold():
            return self._snapshot(copy, playing, self.path(playing), saved_at)
        with self._free(slot), database.explained(target):
            self._clean(slot)
            if not target.exists() and self._taken(slot):
                raise SaveExists(
                    f"There is a save with the name {slot!r} in another case.",
                    "Write its name as it is listed, or choose another.",
                    slot=slot,
                )
            info = self._snapshot(copy, slot, target, saved_at)
            self._drop_former_play(slot)
            return info

    def drop(self, copy: WorkingCopy) -> None:
        """Removes a new working copy that is not used after all."""
        if copy.path != copy.place:
            files.discard(copy.path)

    def close(self, playing: str, keep_unsaved: bool = False) -> None:
        """Closes an open slot, after its store is closed. `keep_unsaved` leaves the working copy, as a crash would.

        Raises SaveError when the working copy cannot be removed. Then the slot stays locked.
        """
        lock = self._lock_of(playing)
        play = self._play(playing)
        if not keep_unsaved:
            with database.explained(play), suppress(FileNotFoundError):  # The folder itself may be gone.
                files.remove(play)
                platform_files.sync_folder(self.folder)
        with self._gate:
            del self._held[playing.casefold()]
        lock.release()

    # ---- helpers

    def _play(self, slot: str) -> Path:
        return self.folder / f"{checked_name(slot)}{PLAY}"

    def _continue(self, slot: str, play: Path, lock: FileLock, resume_epoch: int) -> WorkingCopy:
        with _blaming_play(slot), database.reading(play) as db:
            database.check_sound(db, play)
            epoch = meta.read(db).epoch
        if epoch != resume_epoch:
            epoch = self._next_epoch(slot, lock, epoch)
        return WorkingCopy(slot, play, play, epoch, recovered=True)

    def _begin(self, slot: str, source: Path, lock: FileLock) -> WorkingCopy:
        """Makes a new working copy of `slot` from `source`, beside the present one."""
        play, base = self._play(slot), self._save_id(slot)
        fresh = files.unfinished(play)
        try:
            files.copy(source, fresh, lambda: self._listing.knows_sound(source))
            with database.reading(fresh, called=source) as db:
                epoch = self._next_epoch(slot, lock, meta.read(db).epoch)
        except BaseException:
            files.discard(fresh)
            raise
        return WorkingCopy(slot, fresh, play, epoch, recovered=False, base=base)

    def _save_id(self, slot: str) -> str:
        """`SaveMeta.save_id` of the slot's file; empty if there is none or it cannot be read."""
        with suppress(SaveError), database.reading(self.path(slot)) as db:
            database.check_ours(db, self.path(slot))
            return meta.read(db).save_id
        return ""

    def _drop_former_play(self, slot: str) -> None:
        """Removes a working copy of the slot's former save. If that fails, it is ignored, since it does not belong to the new save."""
        with suppress(OSError):
            files.remove(self._play(slot))
            platform_files.sync_folder(self.folder)

    def _taken(self, slot: str) -> bool:
        """Whether there is a slot of that name in any case. On many systems, names in another case are the same file."""
        names = {path.name.casefold() for path in self.folder.iterdir()}
        return f"{slot}{SUFFIX}".casefold() in names or f"{slot}{PLAY}".casefold() in names

    def _next_epoch(self, slot: str, lock: FileLock, seen: int) -> int:
        """A new epoch, above every one that the slot ever had. The lock's file remembers those of discarded working copies."""
        epoch = max(lock.number(), seen) + 1
        lock.keep(epoch)
        return epoch

    def _snapshot(self, copy: Callable[[Path], object], slot: str, target: Path, saved_at: int) -> SaveInfo:
        files.snapshot(copy, target, lambda db: meta.write(db, saved_at=saved_at, save_id=new_id()))
        return known_info(slot, target)

    def _clean(self, slot: str) -> None:
        """Removes unfinished files that a crash left. The caller holds the slot's lock, so nobody else is writing them."""
        for end in (SUFFIX, PLAY):
            for path in self.folder.glob(f".{slot}{end}{files.LEFTOVER}*"):
                path.unlink(missing_ok=True)

    @contextmanager
    def _free(self, slot: str) -> Iterator[None]:
        """Holds the slot's lock inside a `with`. Raises SaveInUse when the slot is open, here or in another process."""
        lock = self._acquire(slot)
        try:
            yield
        finally:
            lock.release()

    def _acquire(self, slot: str, patience_s: float = _PATIENCE_S) -> FileLock:
        name = checked_name(slot).casefold()
        with self._gate:
            here = name in self._held
        path = self.folder / f".{name}.lock"
        with database.explained(path):
            files.private_folder(self.folder)
            lock = None if here else FileLock.acquire(path, patience_s)
        if lock is None:
            raise SaveInUse(f"The save {slot!r} is being played, in another session or process.", "Close it there first.", slot=slot)
        return lock

    def _lock_of(self, playing: str) -> FileLock:
        with self._gate:
            lock = self._held.get(playing.casefold())
        if lock is None:
            raise SaveError(f"The save {playing!r} is not open.", "Open it first.", slot=playing)
        return lock


def _owner(db: Database) -> Owner:
    return meta.read(db).game, places.root(db)


def _read_ours(path: Path, read: Callable[[Database], T]) -> T:
    with database.reading(path) as db:
        database.check_ours(db, path)
        return read(db)


@contextmanager
def _blaming_play(slot: str) -> Iterator[None]:
    """Adds to SaveDamaged that it is unsaved play, and how to do without it."""
    try:
        yield
    except SaveDamaged as error:
        raise SaveDamaged(
            f"What was played of {slot!r} and not saved is damaged: {error.what}",
            "Open the slot with discard_unsaved to start from its last save.",
            slot=slot,
        ) from error


def checked_name(slot: str) -> str:
    """Returns a valid name of a slot. Raises BadInput for one that is no file name on every system or would leave the folder."""
    if not _NAME.fullmatch(slot) or _RESERVED.fullmatch(slot):
        raise BadInput(
            f"{slot!r} cannot be the name of a save.",
            "Use 1 to 64 letters A-Z, digits, '-', '_' and inner spaces, and no name that Windows reserves (CON, NUL, COM1 …).",
            slot=slot,
        )
    return slot


def _not_found(slot: str) -> SaveNotFound:
    return SaveNotFound(f"There is no save {slot!r}.", "List the saves to see which there are, or create it.", slot=slot)
