"""Downloads a model of the catalogue. It resumes an interrupted download, checks the file, and puts it in place in one step.

What a server says about its own file proves nothing. So the file must have the SHA-256 of the catalogue. If the catalogue has none, it
must have that of the first download, which is recorded beside it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import httpx

from npc_server.errors import ModelMissing, ModelRejected
from npc_server.llm.gguf_header import read_header
from npc_server.llm.models import CatalogueModel, sha256_of
from npc_server.llm.pull_notes import Begun, Record

TIMEOUT = httpx.Timeout(30.0, connect=15.0)
MUCH_LARGER = 1.5
"""A file may be this many times as large as the rounded size in the catalogue."""
Progress = Callable[[int, int], None]
"""Gets the bytes downloaded so far, and the bytes in all, or 0 when these are not known."""


@dataclass(frozen=True)
class Pulled:
    """A model on this machine, and how it is known to be the right one."""

    path: Path
    known: Literal["was here", "catalogue", "record", "first"]
    """`was here`: it was not downloaded. `catalogue`: it has the SHA-256 of the catalogue. `record`: it has that of the first download.
    `first`: it is the first download, and its SHA-256 was recorded."""
    sha256: str = ""


def pull(entry: CatalogueModel, folder: Path, base_url: str, max_bytes: int, progress: Progress = lambda here, whole: None) -> Pulled:
    """Downloads a model's file to `folder`, unless it is there already. Make only one call at a time for each folder.

    Raises ModelMissing when the download fails; the next call resumes it where the server allows that. Raises ModelRejected when the
    file is not the right one; it is then deleted.
    """
    target = folder / entry.file
    if target.name != entry.file or target.suffix != ".gguf":
        raise ModelRejected(f"The catalogue's file {entry.file!r} is no plain name that ends in .gguf.", "Mend the entry in models.toml.")
    if target.is_file():
        return Pulled(target, "was here")
    if not entry.repo:
        raise ModelMissing(f"{entry.name!r} is not pulled.", entry.how)
    folder.mkdir(parents=True, exist_ok=True)
    record = Record.of(target)
    part = target.with_name(target.name + ".part")
    url = f"{base_url.rstrip('/')}/{entry.repo}/resolve/main/{entry.file}"
    with _told(entry, url, part):
        came = _fetch(url, part, _most(entry, max_bytes), progress)
    found = _checked(entry, part, record, came.named)
    if not entry.sha256 and record is None:
        Record(url, came.etag, part.stat().st_size, found).write(target)
    with part.open("rb") as file:
        os.fsync(file.fileno())
    part.replace(target)
    Begun.forget(part)
    return Pulled(target, "catalogue" if entry.sha256 else "record" if record else "first", found)


@dataclass(frozen=True)
class _Came:
    """What the server says about the file: the ETag of this version, and its SHA-256. Both may be empty."""

    etag: str
    named: str = ""


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


def _most(entry: CatalogueModel, max_bytes: int) -> int:
    """Returns how many bytes the download may have at most. Raises ModelRejected when `max_bytes` is too few."""
    wanted = entry.size_bytes or entry.size_mb * 1_000_000
    if wanted > max_bytes:
        raise ModelRejected(
            f"{entry.name!r} has {wanted} bytes, and at most {max_bytes} are pulled.",
            "Raise engine.max_pull_bytes, or pull a smaller model.",
        )
    return entry.size_bytes or min(max_bytes, int(wanted * MUCH_LARGER))


def _fetch(url: str, part: Path, most: int, progress: Progress) -> _Came:
    """Downloads the file to `part`, or the rest of it."""
    begun = Begun.of(part, url)
    if begun and begun.here == begun.whole:
        return _Came(begun.etag)
    with httpx.Client(follow_redirects=True, timeout=TIMEOUT, headers={"Accept-Encoding": "identity"}) as client:
        if begun and (came := _go_on(client, begun, part, most, progress)):
            return came
        Begun.drop(part)
        with _asked(client, url) as answer:
            answer.raise_for_status()
            length = answer.headers.get("content-length", "")
            whole = int(length) if length.isdecimal() else 0
            came = _Came(_strong_etag(answer), _named_hash(answer))
            if came.etag and whole:
                Begun(url, came.etag, whole, 0).write(part)
            _take(answer, part, 0, whole, most, progress)
            return came


def _go_on(client: httpx.Client, begun: Begun, part: Path, most: int, progress: Progress) -> _Came | None:
    """Downloads the rest of a file. Returns None when the server does not resume this very version of it."""
    headers = {"Range": f"bytes={begun.here}-", "If-Range": begun.etag}
    with _asked(client, begun.url, headers) as answer:
        rest = f"bytes {begun.here}-{begun.whole - 1}/{begun.whole}"
        if answer.status_code != 206 or _strong_etag(answer) != begun.etag or answer.headers.get("content-range") != rest:
            return None
        _take(answer, part, begun.here, begun.whole, most, progress)
        return _Came(begun.etag, _named_hash(answer))


@contextmanager
def _asked(client: httpx.Client, url: str, headers: dict[str, str] | None = None) -> Iterator[httpx.Response]:
    with client.stream("GET", url, headers=headers) as answer:
        hops = {response.url.scheme for response in (*answer.history, answer)}
        if url.startswith("https:") and hops != {"https"}:
            raise ModelRejected(f"{url} redirects to an address without encryption.", "Set engine.models_url to a mirror that you trust.")
        yield answer


def _take(answer: httpx.Response, part: Path, here: int, whole: int, most: int, progress: Progress) -> None:
    if whole > most:
        raise _too_large(f"{whole} bytes are offered", most)
    with part.open("ab" if here else "wb") as file:
        progress(here, whole)
        for chunk in answer.iter_raw():  # every chunk is written at once, so that an interrupted download can be resumed
            here += len(chunk)
            if here > (whole or most):
                raise _too_large("more came", whole or most)
            file.write(chunk)
            progress(here, whole)
    if whole and here != whole:
        raise httpx.ReadError(f"{whole - here} bytes are missing")


def _too_large(what: str, most: int) -> ModelRejected:
    return ModelRejected(
        f"The file is too large: {what}, and at most {most} belong to it. It was deleted.",
        "Check engine.models_url; get the file by hand and use npc-server model add PATH.",
    )


def _strong_etag(answer: httpx.Response) -> str:
    """Returns the strong ETag, which names exactly these bytes, or an empty text. A weak one would also name similar ones."""
    tag = answer.headers.get("etag", "")
    return tag if re.fullmatch(r'"[!#-~]{1,200}"', tag) else ""


def _named_hash(answer: httpx.Response) -> str:
    """Returns the SHA-256 that the hub names when it redirects to the file. It only shows whether the file was damaged on the way."""
    for response in (*answer.history, answer):
        tag = response.headers.get("x-linked-etag", "").strip('"')
        if re.fullmatch("[0-9a-f]{64}", tag):
            return str(tag)
    return ""


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
