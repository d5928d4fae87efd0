"""The notes beside a model's file: about a download that can be resumed, and about the first download of a model."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from npc_server.errors import ModelRejected
from npc_server.platform.files import write_whole

MAX_NOTE_BYTES = 16 * 1024


@dataclass(frozen=True)
class Begun:
    """A download that can be resumed. `whole` and `here` are the bytes in all and the bytes downloaded; `etag` names the version."""

    url: str
    etag: str
    whole: int
    here: int

    @classmethod
    def of(cls, part: Path, url: str) -> Begun | None:
        """Reads the note about `part`. Returns None when it is about another URL, or does not fit the partial file."""
        note = _read(_beside(part))
        etag, whole = note.get("etag"), note.get("bytes")
        here = part.stat().st_size if part.is_file() else 0
        if note.get("url") != url or not isinstance(etag, str) or not isinstance(whole, int) or not etag or not 0 < here <= whole:
            return None
        return cls(url, etag, whole, here)

    def write(self, part: Path) -> None:
        _write(_beside(part), {"url": self.url, "etag": self.etag, "bytes": self.whole})

    @staticmethod
    def forget(part: Path) -> None:
        _beside(part).unlink(missing_ok=True)

    @staticmethod
    def drop(part: Path) -> None:
        """Deletes the partial file and its note."""
        part.unlink(missing_ok=True)
        Begun.forget(part)


@dataclass(frozen=True)
class Joined:
    """Parts of a file that are joined already: how many, and how many bytes that makes."""

    packages: str
    parts: int
    bytes: int

    @classmethod
    def of(cls, part: Path, packages: str) -> Joined | None:
        """Reads the note about `part`. Returns None when it is about other packages, or does not fit the partial file."""
        note = _read(_beside(part))
        parts, size = note.get("parts"), note.get("bytes")
        here = part.stat().st_size if part.is_file() else 0
        if note.get("packages") != packages or not isinstance(parts, int) or not isinstance(size, int) or not 0 < size <= here:
            return None
        return cls(packages, parts, size)

    def write(self, part: Path) -> None:
        _write(_beside(part), asdict(self))


@dataclass(frozen=True)
class Record:
    """The first download of a model whose SHA-256 the catalogue does not know. It is stored beside the file as `NAME.lock`."""

    url: str
    etag: str
    bytes: int
    sha256: str

    @classmethod
    def of(cls, target: Path) -> Record | None:
        """Reads the record of a model, or returns None without one.

        Raises ModelRejected when it cannot be read, because a new download would otherwise pass as the first.
        """
        path = cls.path(target)
        if not path.exists():
            return None
        note = _read(path)
        url, etag, size, sha256 = (note.get(key) for key in ("url", "etag", "bytes", "sha256"))
        if isinstance(url, str) and isinstance(etag, str) and isinstance(size, int) and isinstance(sha256, str) and len(sha256) == 64:
            return cls(url, etag, size, sha256)
        raise ModelRejected(
            f"{str(path)!r}, which says what {target.name} is, cannot be read.", "Put it back, or delete it to trust what comes."
        )

    def write(self, target: Path) -> None:
        _write(self.path(target), asdict(self))

    @staticmethod
    def path(target: Path) -> Path:
        return target.with_name(target.name + ".lock")


def _beside(part: Path) -> Path:
    return part.with_name(part.name + ".json")


def _read(path: Path) -> dict[str, Any]:
    """Reads a note. It is empty when there is none, or it cannot be read."""
    try:
        with path.open("rb") as file:
            found = json.loads(file.read(MAX_NOTE_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _write(path: Path, note: dict[str, Any]) -> None:
    write_whole(path, json.dumps(note, indent=1) + "\n")
