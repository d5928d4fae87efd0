"""The slots of a folder, and the working copies that are played.

Beside `<slot>.npcsave`, which is only ever replaced whole, a slot that is played has `<slot>.play.sqlite`, where everything is
written at once. It is removed when play ends; one that is found later was left by a crash, and play can continue from it.

Every method blocks: call them from a thread. A slot that is played is held by a lock.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from sqlite_utils import Database

from npc_server.errors import BadInput, SaveDamaged, SaveError, SaveExists, SaveInUse, SaveNotFound
from npc_server.memory import database, files, meta, places
from npc_server.memory.create import create
from npc_server.memory.listing import PLAY, SUFFIX, Listing, known_info, read_info
from npc_server.memory.lock import FileLock
from npc_server.memory.working_copy import WorkingCopy, goes_on_from, new_id
from npc_server.records import Document, SaveInfo

T = TypeVar("T")
_NAME = re.compile(r"[A-Za-z0-9_-](?:[A-Za-z0-9 _-]{0,62}[A-Za-z0-9_-])?")
_RESERVED = re.compile(r"con|prn|aux|nul|com[0-9]|lpt[0-9]", re.IGNORECASE)
_PATIENCE_S = 0.3
_GLANCE_S = 0.02
"""Another that lists the same folder holds a lock for less."""


class Slots:
    """The saves in one folder. Several processes may use the same folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._held: dict[str, FileLock] = {}
        self._gate = threading.Lock()
        self._listing = Listing(folder, lambda slot: self._acquire(slot, _GLANCE_S))

    def path(self, slot: str) -> Path:
        """Of the slot's file. Raises BadInput for a name that cannot be one."""
        return self.folder / f"{checked_name(slot)}{SUFFIX}"

    # ---- looking

    def saves(self) -> list[SaveInfo]:
        """Every slot, the newest first; one that cannot be opened says why in `problem`. See `Listing.saves`."""
        return self._listing.saves()

    def info(self, slot: str) -> SaveInfo:
        """What the slot's file holds. Raises SaveNotFound, SaveDamaged, SaveTooNew."""
        return read_info(slot, self.path(slot))

    def stop(self) -> None:
        """Breaks off what `saves` is reading: the server stops."""
        self._listing.stopping.set()

    def owner(self, slot: str, discard_unsaved: bool = False) -> tuple[str, str]:
        """Game and town of what opening the slot would play; both empty where it cannot be read, which opening it will tell of."""
        return self._glimpse(slot, discard_unsaved, lambda db: (meta.read(db).game, places.root(db)), ("", ""))

    def people_files(self, slot: str, discard_unsaved: bool = False) -> tuple[str, list[Document]]:
        """The town's id and the persona files of what opening the slot would play; none where it cannot be read."""
        nothing: tuple[str, list[Document]] = ("", [])
        return self._glimpse(slot, discard_unsaved, lambda db: (places.root(db), meta.documents(db, "persona")), nothing)

    def _glimpse(self, slot: str, discard_unsaved: bool, read: Callable[[Database], T], otherwise: T) -> T:
        save, play = self.path(slot), self._play(slot)
        for path in [save] if discard_unsaved or not goes_on_from(play, save) else [play, save]:
            with suppress(SaveError), database.reading(path) as db:
                database.check_ours(db, path)
                return read(db)
        return otherwise

    # ---- making and removing

    def create(self, slot: str, fill: Callable[[Database], object], in_place: bool = False) -> SaveInfo:
        """A new slot; `fill` stores what it begins with, in one transaction. With `in_place` it takes the place of one of that name.

        Raises SaveExists, SaveInUse, BadInput, SaveFull; then the old one is as it was.
        """
        path = self.path(slot)
        with self._free(slot):
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
        """Removes the slot and what a crash left of it. Raises SaveNotFound, and SaveInUse while it is played."""
        path = self.path(slot)
        with self._free(slot):
            play = self._play(slot)
            if not path.is_file() and not play.is_file():
                raise _not_found(slot)
            self._clean(slot)
            files.remove(play)
            files.remove(path)
            files.sync_folder(self.folder)

    # ---- playing

    def open_working_copy(self, slot: str, resume_epoch: int = 0, discard_unsaved: bool = False) -> WorkingCopy:
        """Takes the slot's lock until `close` and gives the file to play on, at an epoch that was never given before.

        A working copy left by a crash is continued unless `discard_unsaved`; at its own epoch if that is `resume_epoch`.
        Raises SaveNotFound, SaveInUse, SaveDamaged, SaveTooNew, SaveFull; then nothing is changed and the lock is free.
        """
        path, play = self.path(slot), self._play(slot)
        lock = self._acquire(slot)
        try:
            with database.explained(play):
                self._clean(slot)
                if play.is_file() and not discard_unsaved and goes_on_from(play, path):
                    copy = self._continue(slot, play, lock, resume_epoch)
                elif path.is_file():
                    copy = self._begin(slot, path, lock)
                else:
                    raise _not_found(slot)
        except BaseException:
            lock.release()
            raise
        with self._gate:
            self._held[slot.casefold()] = lock
        return copy

    def load(self, playing: str, slot: str) -> WorkingCopy:
        """A new working copy of `playing`, at a new epoch, with the content of `slot`. The one there is stays as it is until the new
        one is moved to its place. Raises as `open_working_copy`."""
        lock = self._lock_of(playing)
        with database.explained(self._play(playing)):
            return self._begin(playing, self.path(slot), lock)

    def save(self, copy: Callable[[Path], object], playing: str, slot: str, saved_at: int) -> SaveInfo:
        """Snapshots what `playing` has on disk to `slot`, at once or not at all. `saved_at` is wall time.

        `copy` is `Store.copy`: play goes on meanwhile. Raises SaveInUse when another plays `slot` or has its file open, SaveFull when
        there is no room.
        """
        self._lock_of(playing)
        target = self.path(slot)
        if slot.casefold() == playing.casefold():
            return self._snapshot(copy, playing, self.path(playing), saved_at)
        with self._free(slot):
            if not target.exists() and self._taken(slot):
                raise SaveExists(
                    f"There is a save {slot!r} in other letters.", "Write its name as it is listed, or choose another.", slot=slot
                )
            info = self._snapshot(copy, slot, target, saved_at)
            self._drop_former_play(slot)
            return info

    def drop(self, copy: WorkingCopy) -> None:
        """Removes a new working copy that is not played on after all."""
        if copy.path != copy.place:
            files.remove(copy.path)

    def close(self, playing: str, keep_unsaved: bool = False) -> None:
        """Ends play, after the store is closed: removes the working copy, or leaves it as a crash would.

        Raises SaveError when it cannot be removed; then the slot is still held.
        """
        lock = self._lock_of(playing)
        play = self._play(playing)
        if not keep_unsaved:
            with database.explained(play), suppress(FileNotFoundError):  # a folder that is gone keeps nothing
                files.remove(play)
                files.sync_folder(self.folder)
        with self._gate:
            del self._held[playing.casefold()]
        lock.release()

    # ---- inside

    def _play(self, slot: str) -> Path:
        return self.folder / f"{checked_name(slot)}{PLAY}"

    def _continue(self, slot: str, play: Path, lock: FileLock, resume_epoch: int) -> WorkingCopy:
        try:
            with database.reading(play) as db:
                database.check_sound(db, play)
                epoch = meta.read(db).epoch
        except SaveDamaged as error:
            raise SaveDamaged(
                f"What was played of {slot!r} and not saved is damaged: {error.what}",
                "Open it with discard_unsaved to start from the save.",
            ) from error
        if epoch != resume_epoch:
            epoch = self._next_epoch(slot, lock, epoch)
        return WorkingCopy(slot, play, play, epoch, recovered=True)

    def _begin(self, slot: str, source: Path, lock: FileLock) -> WorkingCopy:
        """A new working copy of `slot` from `source`, beside the one there is."""
        play, base = self._play(slot), self._save_id(slot)
        fresh = files.unfinished(play)
        try:
            files.copy(source, fresh)
            with database.reading(fresh, called=source) as db:
                epoch = self._next_epoch(slot, lock, meta.read(db).epoch)
        except BaseException:
            files.remove(fresh)
            raise
        return WorkingCopy(slot, fresh, play, epoch, recovered=False, base=base)

    def _save_id(self, slot: str) -> str:
        """Of the slot's file; empty where there is none that can be read."""
        with suppress(SaveError), database.reading(self.path(slot)) as db:
            database.check_ours(db, self.path(slot))
            return meta.read(db).save_id
        return ""

    def _drop_former_play(self, slot: str) -> None:
        """What was left of the save before does not go on from the new one: nobody takes it up, also where it cannot be removed."""
        with suppress(OSError):
            files.remove(self._play(slot))
            files.sync_folder(self.folder)

    def _taken(self, slot: str) -> bool:
        """Whether there is such a slot, whatever the case: on many systems that is the same file."""
        names = {path.name.casefold() for path in self.folder.iterdir()}
        return f"{slot}{SUFFIX}".casefold() in names or f"{slot}{PLAY}".casefold() in names

    def _next_epoch(self, slot: str, lock: FileLock, seen: int) -> int:
        """Above every epoch the slot had, also in copies that were thrown away: the lock's file remembers."""
        epoch = max(lock.number(), seen) + 1
        lock.keep(epoch)
        return epoch

    def _snapshot(self, copy: Callable[[Path], object], slot: str, target: Path, saved_at: int) -> SaveInfo:
        files.snapshot(copy, target, lambda db: meta.write(db, saved_at=saved_at, save_id=new_id()))
        return known_info(slot, target)

    def _clean(self, slot: str) -> None:
        """Removes what a crash left half-written. The slot's lock must be held: nobody else is writing it."""
        for end in (SUFFIX, PLAY):
            for path in self.folder.glob(f".{slot}{end}{files.LEFTOVER}*"):
                path.unlink(missing_ok=True)

    @contextmanager
    def _free(self, slot: str) -> Iterator[None]:
        """Holds the slot's lock for a moment. Raises SaveInUse when it is played, here or elsewhere."""
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
            self.folder.mkdir(parents=True, exist_ok=True)
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


def checked_name(slot: str) -> str:
    """Raises BadInput for a name that some system cannot have as a file, or that would lead out of the folder."""
    if not _NAME.fullmatch(slot) or _RESERVED.fullmatch(slot):
        raise BadInput(
            f"{slot!r} cannot be the name of a save.",
            "Use 1 to 64 letters A-Z, digits, '-', '_' and spaces inside, and no name that Windows keeps for itself (CON, NUL, COM1 …).",
            slot=slot,
        )
    return slot


def _not_found(slot: str) -> SaveNotFound:
    return SaveNotFound(f"There is no save {slot!r}.", "List the saves to see which there are, or create it.", slot=slot)
