"""`.charx` files: a zip with `card.json` and the card's other files. A stranger's zip may be a bomb, or name files outside its folder."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import PurePosixPath

from npc_server.personas.cards.card import MOST_BYTES, MOST_JSON, wrong

CARD = "card.json"
MOST_FILES = 2_000
MOST_UNPACKED = 4 * MOST_BYTES
"""Bytes of all files together, unpacked."""
_AT_ONCE = 1 << 20
_NEVER = (1980, 1, 1, 0, 0, 0)
"""The time that files in a zip have here, so that the same card gives the same bytes."""


def is_charx(raw: bytes) -> bool:
    return raw.startswith(b"PK\x03\x04")


def unpacked(raw: bytes, file: str) -> tuple[bytes, dict[str, bytes]]:
    """The JSON of the card, and the other files by their paths. Raises FileProblem."""
    found: dict[str, bytes] = {}
    room = MOST_UNPACKED
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as packed:
            listed = [info for info in packed.infolist() if not info.is_dir()]
            if len(listed) > MOST_FILES:
                raise wrong(file, f"It holds {len(listed):,} files, and {MOST_FILES:,} are allowed.", "Take some out.")
            for info in listed:
                name = _safe_name(info.filename, file)
                if name in found:
                    raise wrong(file, f"It holds {name[:80]!r} twice.", "Pack it again.")
                found[name] = _read(packed, info, MOST_JSON if name == CARD else min(room, MOST_BYTES), file)
                room -= len(found[name])
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError, ValueError) as error:
        raise wrong(file, f"The zip cannot be read: {str(error)[:200]}.", "Get the file again. It may not be encrypted.") from error
    if CARD not in found:
        raise wrong(file, f"There is no {CARD} in it.", "Is it a .charx? It must hold the card at its root.")
    return found.pop(CARD), found


def _read(packed: zipfile.ZipFile, info: zipfile.ZipInfo, most: int, file: str) -> bytes:
    """What is in one file. The sizes that a zip tells of itself are not trusted."""
    parts, size = list[bytes](), 0
    with packed.open(info) as source:
        while part := source.read(_AT_ONCE):
            size += len(part)
            if size > most:
                raise wrong(file, f"{info.filename[:80]!r} unpacks to more than {most:,} bytes.", "Take it out, or make it smaller.")
            parts.append(part)
    return b"".join(parts)


def _safe_name(name: str, file: str) -> str:
    """A path inside the zip. Raises FileProblem for one that leads out of it, or that a system may read otherwise."""
    parts = PurePosixPath(name).parts
    odd = any(letter in name for letter in '\\:*?"<>|\0') or any(ord(letter) < 32 for letter in name)
    if not parts or odd or name.startswith("/") or ".." in parts or any(part.endswith((".", " ")) for part in parts) or len(name) > 240:
        raise wrong(file, f"It holds a file with the name {name[:80]!r}.", "Names must be plain paths inside the zip.")
    return "/".join(parts)


def packed(card: bytes, files: Mapping[str, bytes]) -> bytes:
    """The bytes of a `.charx`. The same card and files give the same bytes."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as made:
        for name, body in ((CARD, card), *sorted(files.items())):
            made.writestr(zipfile.ZipInfo(name, _NEVER), body, zipfile.ZIP_DEFLATED)
    return target.getvalue()
