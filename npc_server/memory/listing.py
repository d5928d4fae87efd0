"""The list of saves in a folder, from which a player chooses. Everything here blocks.

A file that cannot be opened is listed with the reason, so that it does not hide the others. A slot's lock is held only for a moment and
not while its file is read, so that listing never keeps anybody from opening a save.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event

import structlog
from sqlite_utils import Database

from npc_server.errors import BadInput, SaveDamaged, SaveError, SaveInUse
from npc_server.memory import codec, database, files, meta, places, rows
from npc_server.memory.lock import FileLock
from npc_server.memory.suffix import SUFFIX
from npc_server.memory.working_copy import continues_from
from npc_server.records import SaveInfo
from npc_server.visible import STEERING

PLAY = ".play.sqlite"
MOST_NAME = 120
"""The most characters of a town's or a person's name that are shown."""
MOST_PEOPLE = 200
"""The most people of a save that are listed."""
MOST_PROBLEM = 1_000
"""The most characters of the reason why a save cannot be opened."""
_MOST_FILE_NAME = 255

_log = structlog.get_logger("npc_server.memory")

Signature = tuple[tuple[int, ...], ...]
"""Size, times and so on of a file and its journals. It changes when any of them is written."""
Take = Callable[[str], FileLock]
"""A function that takes a slot's lock. Raises SaveInUse, BadInput, SaveError."""


@dataclass
class _Files:
    """The files of one slot."""

    slot: Path | None = None
    play: Path | None = None
    left: list[Path] = field(default_factory=list)
    """Unfinished files that a crash left."""


class Listing:
    """Lists saves, and remembers what a file holds until the file changes, since checking a large one takes seconds."""

    def __init__(self, folder: Path, take: Take) -> None:
        self.folder = folder
        self.stopping = Event()
        """Set it when the server stops. Reading then ends at once."""
        self._take = take
        self._known: dict[str, tuple[Signature, SaveInfo]] = {}

    def saves(self) -> list[SaveInfo]:
        """Every slot, the newest first. The order is by the time of saving, or by the file's time if the save has none.

        A slot that cannot be opened says why in `problem`. Raises Stopping, and SaveError for a folder that cannot be read.
        """
        with database.explained(self.folder):
            there = _by_slot(self.folder)
        self._known = {name: known for name, known in self._known.items() if name in there}
        listed = [(found, self._listed(name, found)) for name, found in there.items()]
        real = [(info.saved_at or _changed(found), info) for found, info in listed if found.slot or found.play]
        return [info for _, info in sorted(real, key=lambda pair: (-pair[0], pair[1].slot.casefold(), pair[1].slot))]

    def sweep(self) -> None:
        """Removes the unfinished files that a crash left, of every slot that nobody uses now. What cannot be removed stays."""
        with suppress(OSError):
            for name, found in _by_slot(self.folder).items():
                if found.left:
                    with suppress(SaveError, BadInput), self._held(name):
                        _unlink(found.left)

    @contextmanager
    def _held(self, name: str) -> Iterator[None]:
        lock = self._take(name)
        try:
            yield
        finally:
            lock.release()

    def knows_sound(self, path: Path) -> bool:
        """Whether a slot's file was checked when it was listed, found sound, and has not changed since."""
        known = self._known.get(path.name.removesuffix(SUFFIX))
        return known is not None and not known[1].problem and known[0] == _signature(path)

    def _listed(self, name: str, found: _Files) -> SaveInfo:
        problem = ""
        try:
            info, problem = self._looked_at(name, found)
        except (SaveError, BadInput) as error:
            info, problem = None, str(error)
        except (OSError, ValueError) as error:
            _log.warning("a save could not be listed", file=repr(name), error=str(error))
            info, problem = None, f"{name!r} cannot be read: {error}. Check the folder and its permissions."
        info = info or SaveInfo(slot=_file_name(name), town="", now=0, saved_at=0, size=_size(found.slot))
        return replace(info, problem=shown(problem, MOST_PROBLEM)) if problem else info

    def _looked_at(self, name: str, found: _Files) -> tuple[SaveInfo | None, str]:
        """What the slot holds, or None, and why it cannot be opened, or an empty text."""
        try:
            lock = self._take(name)
        except SaveInUse as in_use:
            try:  # A session writes to its working copy, so the slot's own file can be read.
                return self._info(name, found.slot) if found.slot else None, str(in_use)
            except SaveError:
                return None, str(in_use)
        try:
            _unlink(found.left)
            left = found.slot is not None and found.play is not None and found.play.is_file() and continues_from(found.play, found.slot)
            if found.slot is None and found.play is not None:
                # Nobody may open it meanwhile, so this must be short. The whole file is checked when it is opened.
                with database.reading(found.play, self.stopping) as db:
                    database.check_ours(db, found.play)
                    return replace(info_of(name, db, _size(found.play)), recoverable=True), ""
        finally:
            lock.release()
        return replace(self._info(name, found.slot), recoverable=left) if found.slot else None, ""

    def _info(self, name: str, path: Path) -> SaveInfo:
        signature = _signature(path)
        known = self._known.get(name)
        if known is None or known[0] != signature:
            known = self._known[name] = (signature, _read(name, path, self.stopping))
        if known[1].problem:
            raise SaveDamaged(known[1].problem, path=path)
        return known[1]


def _unlink(left: Sequence[Path]) -> None:
    for path in left:
        path.unlink(missing_ok=True)


def _read(name: str, path: Path, stopping: Event) -> SaveInfo:
    """What a file holds. A damaged one is described, too, so that it is not checked again until it changes."""
    try:
        return read_info(name, path, stopping)
    except SaveDamaged as error:
        return SaveInfo(slot=name, town="", now=0, saved_at=0, problem=str(error))


def read_info(slot: str, path: Path, stopping: Event | None = None) -> SaveInfo:
    """Checks a save and describes it, without changing it. Raises SaveNotFound, SaveInUse, SaveDamaged or SaveTooNew."""
    with database.reading(path, stopping) as db:
        database.check_sound(db, path)
        return info_of(slot, db, path.stat().st_size)


def known_info(slot: str, path: Path) -> SaveInfo:
    """Describes a save that was just found to be sound. Raises as `read_info` does."""
    with database.reading(path) as db:
        return info_of(slot, db, path.stat().st_size)


def info_of(slot: str, db: Database, size: int) -> SaveInfo:
    """Describes an open save. Names are shortened to what a list shows. Raises SaveDamaged."""
    save = meta.read(db)
    names = [
        name for (name,) in rows.select(db, "SELECT substr(name, 1, ?) FROM people ORDER BY rowid LIMIT ?", (MOST_NAME + 1, MOST_PEOPLE))
    ]
    if not all(isinstance(name, str) for name in names):
        raise SaveDamaged(f"The save {slot!r} has people whose name is not text.", codec.FIX, slot=slot)
    ((memories,),) = rows.select(db, "SELECT COUNT(*) FROM memories")
    return SaveInfo(
        slot=slot,
        town=shown(save.town),
        now=save.now,
        saved_at=save.saved_at,
        people=tuple(shown(name) for name in names),
        size=size,
        memories=memories,
        game=shown(save.game),
        town_id=shown(places.root(db)),
    )


def shown(text: str, most: int = MOST_NAME) -> str:
    """The text on one line of at most `most` characters, without those that control a terminal or cannot be sent."""
    cut = text if len(text) <= most else f"{text[: most - 1]}…"
    return STEERING.sub("\ufffd", " ".join(cut.split()))


def _by_slot(folder: Path) -> dict[str, _Files]:
    """The files of each slot, by its name."""
    there: dict[str, _Files] = {}
    for path in sorted(folder.iterdir() if folder.is_dir() else ()):
        half = path.name.startswith(".") and files.LEFTOVER in path.name
        whole = path.name[1:].partition(files.LEFTOVER)[0] if half else path.name
        name = whole.removesuffix(SUFFIX).removesuffix(PLAY)
        if name == whole:
            continue
        found = there.setdefault(name, _Files())
        if half:
            found.left.append(path)
        elif whole.endswith(SUFFIX):
            found.slot = path
        else:
            found.play = path
    return there


def _file_name(name: str) -> str:
    """A file's name for display. Bytes that are not UTF-8 are shown as escapes."""
    return shown(os.fsencode(name).decode("utf-8", "backslashreplace"), _MOST_FILE_NAME)


def _size(path: Path | None) -> int:
    return path.stat().st_size if path is not None and path.is_file() else 0


def _changed(found: _Files) -> int:
    """When the file was last changed, in Unix seconds."""
    path = found.slot or found.play
    return int(path.stat().st_mtime) if path is not None and path.exists() else 0


def _signature(path: Path) -> Signature:
    """The signature of a file together with its log and journal."""
    beside = [path, *(path.with_name(f"{path.name}{end}") for end in ("-wal", "-journal"))]
    stats = [file.stat() for file in beside if file.is_file()]
    return tuple((it.st_dev, it.st_ino, it.st_size, it.st_mtime_ns, it.st_ctime_ns) for it in stats)
