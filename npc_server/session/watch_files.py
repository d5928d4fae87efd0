"""The game's files watched while a save of them is open: what was edited is told, and which call takes it over.

Files that came with a path are watched by their folders, since editors put a new file in the place of the old one. All reading
and comparing leaves the event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import structlog
from watchfiles import awatch

from npc_server.documents import read_document
from npc_server.errors import FileProblem, Problem, SaveError
from npc_server.records import Document, Notice, NoticeLevel
from npc_server.session.apply_files import Saved, differences
from npc_server.session.game_files import ChangeKind, FileChange, GameFiles, digest, documents

ENDINGS = (".yaml", ".yml")
"""Of files that are watched; nothing else on the machine is read."""
LOOK_MS = 2_000
"""Longest pause between two looks: some network drives never tell of a change."""
QUIET_MS = 100
"""An edit is over when nothing changed for so long."""
LONGEST_EDIT_MS = 1_600

log = structlog.get_logger()

Signature = tuple[tuple[str, int, int], ...]


@dataclass(frozen=True)
class Look:
    """What lay on the disk: the files, those of them that are not there, and what keeps others from being read."""

    files: GameFiles
    absent: frozenset[str] = frozenset()
    problems: tuple[Problem, ...] = ()


class Watch:
    """Owns the task that watches. `files` is what the game has now, as far as it can be read."""

    def __init__(
        self,
        files: GameFiles,
        told: Sequence[FileChange],
        saved: Callable[[], Awaitable[Saved]],
        tell: Callable[[Sequence[Notice]], None],
    ) -> None:
        """`told` is what the game was already told of `files`."""
        self.files = files
        self._look = Look(files)
        self._saved = saved
        self._tell = tell
        self._told = {document.name: digest(document.text) for document in documents(files)}
        self._told |= {change.file: "" for change in told if change.kind is ChangeKind.REMOVED}
        self._signature: Signature = ()
        self._stop = asyncio.Event()
        folders = {path.parent for document in documents(files) if (path := _path(document)) is not None}
        self._task = asyncio.create_task(self._run(sorted(folders)), name="watch files") if folders else None

    async def stop(self) -> None:
        """Ends the watching; a look that is on its way is waited for."""
        self._stop.set()
        if self._task is not None:
            await asyncio.wait([self._task])

    async def _run(self, folders: Sequence[Path]) -> None:
        try:
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
        except Exception as error:  # noqa: BLE001  the system may have no watches left; whatever it is, play goes on without
            log.warning("files_not_watched", folders=[str(folder) for folder in folders], error=str(error))

    async def _look_again(self) -> None:
        signature = await asyncio.to_thread(_signature, self._look.files)
        if signature == self._signature:
            return
        look = await asyncio.to_thread(_read, self._look.files)
        # A file that is gone is so at the second look only: an editor may be about to put it back.
        late = look.absent - self._look.absent
        self.files = _without(look.files, look.absent & self._look.absent)
        try:
            found = await asyncio.to_thread(differences, await self._saved(), self.files)
        except SaveError:  # a load or the end is on its way; the next look compares with what is played then
            return
        self._signature = () if late else signature
        fresh = [problem for problem in look.problems if problem not in self._look.problems]
        self._look = look
        self._tell(notices([change for change in found if self._is_news(change)], fresh))
        self._told |= {document.name: digest(document.text) for document in documents(self.files)}

    def _is_news(self, change: FileChange) -> bool:
        now = next((digest(document.text) for document in documents(self.files) if document.name == change.file), "")
        news = self._told.get(change.file) != now
        self._told[change.file] = now
        return news


def notices(found: Sequence[FileChange], problems: Sequence[Problem] = ()) -> list[Notice]:
    """What changed, in one notice; each file that cannot be read in one of its own."""
    broken = [*(change.summary for change in found if not change.readable), *map(str, problems)]
    made = [Notice(NoticeLevel.WARNING, "BAD_FILE", text) for text in broken]
    changed = " ".join(change.summary for change in found if change.readable)
    if changed:
        how = "SaveService.ApplyFiles takes this over (in Godot: NpcServer.apply_persona_changes()); what was lived stays."
        made.append(Notice(NoticeLevel.INFO, "FILES_CHANGED", f"{changed} {how}"))
    return made


def _path(document: Document) -> Path | None:
    """Where to watch it; None where it cannot be."""
    path = Path(document.path)
    return path if document.path and path.is_absolute() and path.suffix in ENDINGS and path.parent.is_dir() else None


def _signature(files: GameFiles) -> Signature:
    """What changes when a file does, without reading any."""
    found: list[tuple[str, int, int]] = []
    for path in sorted({*(path for document in documents(files) if (path := _path(document))), *_new_files(files)}):
        try:
            stat = path.stat()
        except OSError:
            continue
        found.append((str(path), stat.st_mtime_ns, stat.st_size))
    return tuple(found)


def _new_files(files: GameFiles) -> list[Path]:
    """Files beside the personas' that the game did not send."""
    known = {path for document in documents(files) if (path := _path(document)) is not None}
    folders = sorted({path.parent for document in files.personas if (path := _path(document)) is not None})
    return [path for folder in folders for path in sorted(folder.glob("*")) if path.suffix in ENDINGS and path not in known]


def _read(files: GameFiles) -> Look:
    """The files as they lie there now, and new ones beside them; a text that cannot be read stays as it was."""
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
    beside = [Document(_name_beside(files, path), "", str(path)) for path in _new_files(files)]
    personas = [*map(read, files.personas), *map(read, beside)]
    unread = {document.name for document in beside} & (absent | {problem.file for problem in problems})
    kept = tuple(document for document in personas if document.name not in unread)
    return Look(replace(files, town=town, personas=kept), frozenset(absent), tuple(problems))


def _without(files: GameFiles, names: frozenset[str]) -> GameFiles:
    return replace(files, personas=tuple(document for document in files.personas if document.name not in names))


def _name_beside(files: GameFiles, path: Path) -> str:
    """Named as the game names the files of that folder: `res://people/ada.yaml` beside `res://people/mara.yaml`."""
    for document in files.personas:
        sibling = _path(document)
        if sibling is not None and sibling.parent == path.parent and document.name.endswith(sibling.name):
            return document.name.removesuffix(sibling.name) + path.name
    return path.name
