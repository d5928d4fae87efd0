"""Watches the files of the game while its save is open, and tells the game what was edited and how to apply it.

The folders of the files are watched, because many editors replace a file by a new one. Files are read and compared in threads.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import structlog
from watchfiles import awatch

from npc_server.documents import read_document
from npc_server.errors import FileProblem, Problem, SaveError
from npc_server.records import Document, Notice, NoticeLevel
from npc_server.session.apply_files import Saved, compared
from npc_server.session.game_files import ChangeKind, FileChange, GameFiles, digest, documents

ENDINGS = (".yaml", ".yml")
"""Endings of watched files. No other files are read."""
LOOK_MS = 2_000
"""Longest time between two checks, in milliseconds. Some network drives never report a change."""
QUIET_MS = 100
"""An edit is over when nothing has changed for so many milliseconds."""
LONGEST_EDIT_MS = 1_600
"""An edit is reported after so many milliseconds even if it goes on."""

log = structlog.get_logger()

Signature = tuple[tuple[str, int, int], ...]


@dataclass(frozen=True)
class Look:
    """What was on disk at one check: the readable files, the names of absent ones, and the problems of unreadable ones."""

    files: GameFiles
    absent: frozenset[str] = frozenset()
    problems: tuple[Problem, ...] = ()


class Watch:
    """Owns the task that watches. `files` are the files of the game as they are now, as far as they can be read."""

    def __init__(
        self,
        files: GameFiles,
        told: Sequence[FileChange],
        saved: Callable[[GameFiles], Awaitable[Saved]],
        tell: Callable[[Sequence[Notice]], None],
    ) -> None:
        """`told` are the changes that the game already knows."""
        self.files = files
        self._look = Look(files)
        self._saved = saved
        self._tell = tell
        self._told = {change.file: "" for change in told if change.kind is ChangeKind.REMOVED}
        """The digest of each file as the game knows it."""
        self._signature: Signature = ()
        self._stop = asyncio.Event()
        folders = {path.parent for document in documents(files) if (path := _path(document)) is not None}
        self._task = asyncio.create_task(self._run(sorted(folders)), name="watch files") if folders else None

    async def stop(self) -> None:
        """Stops watching, and waits for a check that has begun."""
        self._stop.set()
        if self._task is not None:
            await asyncio.wait([self._task])

    async def _run(self, folders: Sequence[Path]) -> None:
        try:
            _, known = await asyncio.to_thread(_compared, await self._saved(self.files), self.files)
            self._told = known | self._told
            looks = awatch(
                *folders,
                watch_filter=None,
                debounce=LONGEST_EDIT_MS,
                step=QUIET_MS,
                stop_event=self._stop,
                rust_timeout=LOOK_MS,
                yield_on_timeout=True,
                recursive=False,
            )
            async for _ in looks:
                await self._look_again()
        except Exception as error:  # noqa: BLE001  Watching may fail for many reasons, and play goes on without it.
            log.warning("files_not_watched", folders=[str(folder) for folder in folders], error=str(error))

    async def _look_again(self) -> None:
        signature = await asyncio.to_thread(_signature, self._look.files)
        if signature == self._signature:
            return
        look = await asyncio.to_thread(_read, self._look.files)
        # A missing file counts as gone only at the second check, because an editor may be replacing it.
        late = look.absent - self._look.absent
        self.files = _without(look.files, look.absent & self._look.absent)
        try:
            found, now = await asyncio.to_thread(_compared, await self._saved(self.files), self.files)
        except SaveError:  # A load or the end has begun. The next check compares with what is played then.
            return
        self._signature = () if late else signature
        fresh = [problem for problem in look.problems if problem not in self._look.problems]
        self._look = look
        self._tell(notices([change for change in found if self._told.get(change.file) != now.get(change.file, "")], fresh))
        self._told |= {change.file: "" for change in found} | now


def notices(found: Sequence[FileChange], problems: Sequence[Problem] = ()) -> list[Notice]:
    """Makes one notice about all changes, and one for each unreadable file."""
    broken = [*(change.summary for change in found if not change.readable), *map(str, problems)]
    made = [Notice(NoticeLevel.WARNING, "BAD_FILE", text) for text in broken]
    changed = " ".join(change.summary for change in found if change.readable)
    if changed:
        how = "Call SaveService.ApplyFiles to apply this (in Godot: NpcServer.apply_persona_changes()). Memories are kept."
        made.append(Notice(NoticeLevel.INFO, "FILES_CHANGED", f"{changed} {how}"))
    return made


def _compared(saved: Saved, files: GameFiles) -> tuple[list[FileChange], dict[str, str]]:
    """The changes, and the digest of each file as it is played and of the files of mods, by name."""
    found, played = compared(saved, files)
    return found, {document.name: digest(document.text) for document in (*files.mods, *documents(played))}


def _path(document: Document) -> Path | None:
    """Returns the path to watch, or None if the document has no such path."""
    path = Path(document.path)
    return path if document.path and path.is_absolute() and path.suffix in ENDINGS and path.parent.is_dir() else None


def _signature(files: GameFiles) -> Signature:
    """Returns a value that changes whenever a file changes. No file is read for it."""
    found: list[tuple[str, int, int]] = []
    for path in sorted({*(path for document in documents(files) if (path := _path(document))), *_new_files(files)}):
        try:
            stat = path.stat()
        except OSError:
            continue
        found.append((str(path), stat.st_mtime_ns, stat.st_size))
    return tuple(found)


def _new_files(files: GameFiles) -> list[Path]:
    """Lists files in the folders of the personas and mods that the game did not send."""
    known = {path for document in documents(files) if (path := _path(document)) is not None}
    folders = sorted({path.parent for document in (*files.personas, *files.mods) if (path := _path(document)) is not None})
    return [path for folder in folders for path in sorted(folder.glob("*")) if path.suffix in ENDINGS and path not in known]


def _read(files: GameFiles) -> Look:
    """Reads the files and new ones beside them. An unreadable file keeps its old text."""
    absent: set[str] = set()
    problems: list[Problem] = []

    def read(document: Document) -> Document:
        path = _path(document)
        if path is None:
            return document
        if not path.is_file():
            absent.add(document.name)
            return document
        try:
            return replace(document, text=read_document(path).text)
        except FileProblem as error:
            problems.extend(replace(problem, file=document.name) for problem in error.problems)
            return document

    town = read(files.town) if files.town is not None else None
    new = _new_files(files)
    people, mods = _with_new(files.personas, new), _with_new(files.mods, new)
    beside = {document.name for document in (*people, *mods)} - {document.name for document in documents(files)}
    personas, changed = [*map(read, people)], [*map(read, mods)]
    unread = beside & (absent | {problem.file for problem in problems})
    return Look(
        _without(replace(files, town=town, personas=tuple(personas), mods=tuple(changed)), unread), frozenset(absent), tuple(problems)
    )


def _without(files: GameFiles, names: Collection[str]) -> GameFiles:
    def kept(found: Sequence[Document]) -> tuple[Document, ...]:
        return tuple(document for document in found if document.name not in names)

    return replace(files, personas=kept(files.personas), mods=kept(files.mods))


def _with_new(known: Sequence[Document], paths: Sequence[Path]) -> list[Document]:
    """The files with the new ones of their folders, each after the last file of its folder.

    A new file is named as the game names its folder: `res://people/ada.yaml` beside `res://people/mara.yaml`.
    """
    found = list(known)
    for path in paths:
        beside = [number for number, document in enumerate(found) if (other := _path(document)) is not None and other.parent == path.parent]
        if beside:
            last = found[beside[-1]]
            named = last.name.removesuffix(Path(last.path).name) if last.name.endswith(Path(last.path).name) else ""
            found.insert(beside[-1] + 1, Document(named + path.name, "", str(path)))
    return found
