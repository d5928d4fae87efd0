"""What the saves in a folder are, for a player to choose among. Blocks.

Nothing in the folder stops the list: a file that cannot be opened is in it with the reason. A slot's lock is only tried, never kept
while its file is read, so that looking at saves hinders nobody who opens one.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event

import structlog
from sqlite_utils import Database

from npc_server.errors import BadInput, SaveDamaged, SaveError, SaveInUse
from npc_server.memory import codec, database, files, meta, places, rows
from npc_server.memory.lock import FileLock
from npc_server.memory.working_copy import goes_on_from
from npc_server.records import SaveInfo
from npc_server.visible import STEERING

SUFFIX = ".npcsave"
PLAY = ".play.sqlite"
MOST_NAME = 120
"""Characters of a town's or a person's name that are shown."""
MOST_PEOPLE = 200
MOST_PROBLEM = 1_000
_MOST_FILE_NAME = 255

_log = structlog.get_logger("npc_server.memory")

Signature = tuple[tuple[int, ...], ...]
Take = Callable[[str], FileLock]
"""Takes a slot's lock. Raises SaveInUse, BadInput, SaveError."""


@dataclass
class _Files:
    """What lies in the folder of one slot."""

    slot: Path | None = None
    play: Path | None = None
    left: list[Path] = field(default_factory=list)
    """Half-written ones."""


class Listing:
    """Remembers what it found in a file until the file changes, since reading a large one through takes seconds."""

    def __init__(self, folder: Path, take: Take) -> None:
        self.folder = folder
        self.stopping = Event()
        """Set when the server stops: reading ends at once."""
        self._take = take
        self._known: dict[str, tuple[Signature, SaveInfo]] = {}

    def saves(self) -> list[SaveInfo]:
        """Every slot, the newest first: by when it was saved, or by its file's time where it does not say.

        One that cannot be opened says why in `problem`. Raises Stopping, and SaveError for a folder that cannot be read.
        """
        with database.explained(self.folder):
            there = _by_slot(self.folder)
        self._known = {name: known for name, known in self._known.items() if name in there}
        listed = [(found, self._listed(name, found)) for name, found in there.items()]
        real = [(info.saved_at or _changed(found), info) for found, info in listed if found.slot or found.play]
        return [info for _, info in sorted(real, key=lambda pair: (-pair[0], pair[1].slot.casefold(), pair[1].slot))]

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
        """What is in the slot, and why it cannot be opened all the same."""
        try:
            lock = self._take(name)
        except SaveInUse as in_use:
            try:  # the slot's file is not what is being written, and can be read
                return self._info(name, found.slot) if found.slot else None, str(in_use)
            except SaveError:
                return None, str(in_use)
        try:
            for path in found.left:
                path.unlink(missing_ok=True)
            left = found.slot is not None and found.play is not None and found.play.is_file() and goes_on_from(found.play, found.slot)
            if found.slot is None and found.play is not None:
                # Nobody may write it meanwhile, so the look must be short: it is read through when it is opened.
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


def _read(name: str, path: Path, stopping: Event) -> SaveInfo:
    """With what is wrong with the file as its problem, so that it is not read through again."""
    try:
        return read_info(name, path, stopping)
    except SaveDamaged as error:
        return SaveInfo(slot=name, town="", now=0, saved_at=0, problem=str(error))


def read_info(slot: str, path: Path, stopping: Event | None = None) -> SaveInfo:
    """Raises SaveNotFound, SaveInUse, SaveDamaged or SaveTooNew; changes nothing."""
    with database.reading(path, stopping) as db:
        database.check_sound(db, path)
        return info_of(slot, db, path.stat().st_size)


def known_info(slot: str, path: Path) -> SaveInfo:
    """As `read_info`, of a file that was just found sound."""
    with database.reading(path) as db:
        return info_of(slot, db, path.stat().st_size)


def info_of(slot: str, db: Database, size: int) -> SaveInfo:
    """Of a file that was found to be a save. Names are cut to what a list shows. Raises SaveDamaged."""
    save = meta.read(db)
    names = [
        name for (name,) in rows.select(db, "SELECT substr(name, 1, ?) FROM people ORDER BY rowid LIMIT ?", (MOST_NAME + 1, MOST_PEOPLE))
    ]
    if not all(isinstance(name, str) for name in names):
        raise SaveDamaged(f"The save {slot!r} has people whose name is no text.", codec.FIX, slot=slot)
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
    """On one line, without characters that steer a terminal or cannot be sent, and cut to `most`."""
    cut = text if len(text) <= most else f"{text[: most - 1]}…"
    return STEERING.sub("\ufffd", " ".join(cut.split()))


def _by_slot(folder: Path) -> dict[str, _Files]:
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
    """One that is no UTF-8 shows its bytes."""
    return shown(os.fsencode(name).decode("utf-8", "backslashreplace"), _MOST_FILE_NAME)


def _size(path: Path | None) -> int:
    return path.stat().st_size if path is not None and path.is_file() else 0


def _changed(found: _Files) -> int:
    """When, as Unix seconds."""
    path = found.slot or found.play
    return int(path.stat().st_mtime) if path is not None and path.exists() else 0


def _signature(path: Path) -> Signature:
    """Of the file and of what SQLite may keep beside it: another one when any of them was written."""
    beside = [path, *(path.with_name(f"{path.name}{end}") for end in ("-wal", "-journal"))]
    stats = [file.stat() for file in beside if file.is_file()]
    return tuple((it.st_dev, it.st_ino, it.st_size, it.st_mtime_ns, it.st_ctime_ns) for it in stats)
