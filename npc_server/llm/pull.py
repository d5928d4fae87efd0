"""Downloads a model of the catalogue: resumes what was interrupted, checks what came, and puts it in place in one step."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import httpx

from npc_server.errors import ModelMissing, ModelRejected
from npc_server.llm.gguf_header import read_header
from npc_server.llm.models import CatalogueModel, sha256_of

TIMEOUT = httpx.Timeout(30.0, connect=15.0)
Progress = Callable[[int, int], None]
"""Called with the bytes that are here and the bytes in all; 0 when not known."""


def pull(entry: CatalogueModel, folder: Path, base_url: str, progress: Progress = lambda here, whole: None) -> Path:
    """The model's file in `folder`; nothing is fetched when it is there already.

    Raises ModelMissing when it cannot be had (what has come is kept, and the next call goes on from there), and ModelRejected when
    what came is not what it should be (that is deleted).
    """
    target = folder / entry.file
    if target.is_file():
        return target
    if not entry.repo:
        raise ModelMissing(f"{entry.name!r} is not pulled.", entry.how)
    folder.mkdir(parents=True, exist_ok=True)
    part = target.with_name(target.name + ".part")
    url = f"{base_url.rstrip('/')}/{entry.repo}/resolve/main/{entry.file}"
    try:
        named = _fetch(url, part, progress)
    except httpx.HTTPStatusError as error:
        raise ModelMissing(
            f"{url} answered {error.response.status_code}.",
            "The model may have moved; get the file by hand and use npc-server model add PATH.",
            url=url,
        ) from error
    except (httpx.HTTPError, OSError) as error:
        here = part.stat().st_size if part.exists() else 0
        raise ModelMissing(
            f"The download of {entry.name!r} stopped after {here} bytes: {error or type(error).__name__}.",
            "Run the same command again; it goes on from there.",
            url=url,
        ) from error
    _check(entry, part, entry.sha256 or named)
    part.replace(target)
    return target


def _fetch(url: str, part: Path, progress: Progress) -> str:
    """Brings `part` to its full length; returns the SHA-256 that the hub names, if it does."""
    here = part.stat().st_size if part.exists() else 0
    with httpx.Client(follow_redirects=True, timeout=TIMEOUT) as client:
        headers = {"Accept-Encoding": "identity", **({"Range": f"bytes={here}-"} if here else {})}
        with client.stream("GET", url, headers=headers) as answer:
            if answer.status_code == 416:  # nothing is left: it was complete
                return _named_hash(answer)
            answer.raise_for_status()
            if answer.status_code != 206:
                here = 0
            length = answer.headers.get("content-length", "")
            whole = here + int(length) if length.isdigit() else 0
            with part.open("ab" if here else "wb") as file:
                progress(here, whole)
                for chunk in answer.iter_raw():  # as it comes: what has come is kept
                    file.write(chunk)
                    here += len(chunk)
                    progress(here, whole)
            if whole and here != whole:
                raise httpx.ReadError(f"{whole - here} bytes are missing")
            return _named_hash(answer)


def _named_hash(answer: httpx.Response) -> str:
    """The hub names a file's SHA-256 in the answer that redirects to where the file lies."""
    for response in (*answer.history, answer):
        tag = response.headers.get("x-linked-etag", "").strip('"')
        if re.fullmatch("[0-9a-f]{64}", tag):
            return str(tag)
    return ""


def _check(entry: CatalogueModel, part: Path, sha256: str) -> None:
    """Deletes `part` and raises ModelRejected when it is not what it should be."""
    try:
        if sha256 and (found := sha256_of(part)) != sha256:
            raise ModelRejected(
                f"What came for {entry.name!r} has the SHA-256 {found}, and {sha256} is right. It was deleted.",
                "Pull it again; if it happens again, tell us.",
            )
        read_header(part)
    except ModelRejected:
        part.unlink(missing_ok=True)
        raise
