"""Downloads one file over HTTP, as from a hub of models, and resumes an interrupted download where the server allows that."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from npc_server.errors import ModelRejected
from npc_server.llm.pull_notes import Begun

TIMEOUT = httpx.Timeout(30.0, connect=15.0)
Progress = Callable[[int, int], None]
"""Gets the bytes downloaded so far, and the bytes in all, or 0 when these are not known."""


@dataclass(frozen=True)
class Came:
    """What the server says about the file: the ETag of this version, and its SHA-256. Both may be empty."""

    etag: str
    named: str = ""


def fetch_from_hub(url: str, part: Path, most: int, progress: Progress) -> Came:
    """Downloads the file to `part`, or the rest of it."""
    begun = Begun.of(part, url)
    if begun and begun.here == begun.whole:
        return Came(begun.etag)
    with httpx.Client(follow_redirects=True, timeout=TIMEOUT, headers={"Accept-Encoding": "identity"}) as client:
        if begun and (came := _go_on(client, begun, part, most, progress)):
            return came
        Begun.drop(part)
        with _asked(client, url) as answer:
            answer.raise_for_status()
            length = answer.headers.get("content-length", "")
            whole = int(length) if length.isdecimal() else 0
            came = Came(_strong_etag(answer), _named_hash(answer))
            if came.etag and whole:
                Begun(url, came.etag, whole, 0).write(part)
            _take(answer, part, 0, whole, most, progress)
            return came


def _go_on(client: httpx.Client, begun: Begun, part: Path, most: int, progress: Progress) -> Came | None:
    """Downloads the rest of a file. Returns None when the server does not resume this very version of it."""
    headers = {"Range": f"bytes={begun.here}-", "If-Range": begun.etag}
    with _asked(client, begun.url, headers) as answer:
        rest = f"bytes {begun.here}-{begun.whole - 1}/{begun.whole}"
        if answer.status_code != 206 or _strong_etag(answer) != begun.etag or answer.headers.get("content-range") != rest:
            return None
        _take(answer, part, begun.here, begun.whole, most, progress)
        return Came(begun.etag, _named_hash(answer))


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
