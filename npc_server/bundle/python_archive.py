"""Python for another system, out of an archive that its publisher made.

Two layouts are known. On Windows `python.exe` and `python3XX.dll` lie in one folder: so in python.org's embeddable package, in the
package `python` of NuGet, and in python-build-standalone. Elsewhere the folder has `bin/python3.X` and `lib/python3.X/`, as
python-build-standalone has.
"""

from __future__ import annotations

import re
import shutil
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from npc_server.bundle.copies import LEFT_OUT_FOLDERS, LICENCES, PYTHON, Copy
from npc_server.bundle.python_files import is_used
from npc_server.bundle.systems import System
from npc_server.errors import BadInput
from npc_server.llm.models import sha256_of

WHERE = "docs/export.md names archives of Python for each system."
_DLL, _UNIX = re.compile(r"python3(\d\d)\.dll"), re.compile(r"python3\.(\d+)")
_NEEDED = frozenset({"python.exe"})
_FOLDERS_OF_WINDOWS = frozenset({"DLLs", "Lib"})
"""Of a whole Python for Windows only these have what runs. The embeddable package has no folders."""
Open = Callable[[], IO[bytes]]


@dataclass(frozen=True)
class Archive:
    """An archive with Python for a system."""

    path: Path
    sha256: str
    minor: int
    """It is Python 3.x, with this x."""
    root: str
    """The folder in the archive that holds Python; empty for the archive's own."""


def read_archive(path: Path, sha256: str, system: System) -> Archive:
    """Return what is in an archive, once its checksum is the one that was given. Raises BadInput."""
    if not path.is_file():
        raise BadInput(f"There is no archive {str(path)!r}.", WHERE, file=path)
    digest = sha256_of(path)
    if not sha256:
        fix = "Compare it with the one that its publisher names, and give it with --python-sha256."
        raise BadInput(f"The archive {path.name!r} has the SHA-256 {digest}.", fix, file=path)
    if digest != sha256.strip().lower():
        raise BadInput(f"The archive {path.name!r} has the SHA-256 {digest}, not {sha256}.", "Get it again from its publisher.", file=path)
    found = _find(tuple(name for name, _ in _members(path)), system)
    if found is None:
        what = "python.exe with its python3XX.dll" if system.is_windows else "bin/python3.X with lib/python3.X"
        raise BadInput(f"The archive {path.name!r} has no Python for {system.title}: {what} is missing.", WHERE, file=path)
    return Archive(path, digest, *found)


def unpack(archive: Archive, system: System, folder: Path) -> Iterator[Copy]:
    """Unpack what a server needs of it into `folder`, and yield each file with its place in the bundle."""
    for name, open_file in _members(archive.path):
        inside = _inside(name, archive, system)
        if inside is None:
            continue
        source = folder / inside
        source.parent.mkdir(parents=True, exist_ok=True)
        with open_file() as packed, source.open("wb") as file:
            shutil.copyfileobj(packed, file)
        yield Copy(source, PYTHON / inside)
        if inside.name == "LICENSE.txt":
            yield Copy(source, LICENCES / "python.txt")


def _find(names: tuple[str, ...], system: System) -> tuple[int, str] | None:
    """The minor version, and the folder that holds Python."""
    there = frozenset(names)
    for name in sorted(names, key=lambda it: (it.count("/"), it)):
        folder, _, last = name.rpartition("/")
        if system.is_windows:
            match = _DLL.fullmatch(last)
            if match and _joined(folder, "python.exe") in there:
                return int(match[1]), folder
        elif (match := _UNIX.fullmatch(last)) and PurePosixPath(folder).name == "bin":
            root = folder.rpartition("/")[0]
            if _joined(root, f"lib/{last}/os.py") in there:
                return int(match[1]), root
    return None


def _inside(name: str, archive: Archive, system: System) -> Path | None:
    """Where in the bundle's Python a file of the archive belongs; None for what no server needs."""
    path = PurePosixPath(name)
    if not path.is_relative_to(archive.root) or ".." in path.parts:
        return None
    inside = path.relative_to(archive.root)
    if system.is_windows:
        is_kept = inside.parts[0] in _FOLDERS_OF_WINDOWS if len(inside.parts) > 1 else inside.name in _NEEDED or inside.suffix != ".exe"
    elif inside.parts[0] == "bin":
        return Path("bin", "python3") if inside.name == f"python3.{archive.minor}" else None
    else:
        is_kept = inside.parts[0] == "lib" and (f"python3.{archive.minor}" in inside.parts or inside.name.startswith("libpython3."))
    folders = frozenset(inside.parts[:-1])
    used = inside.name in _NEEDED or (is_used(Path(inside)) and all(is_used(Path(folder)) for folder in folders))
    return Path(inside) if is_kept and used and not folders & LEFT_OUT_FOLDERS else None


def _members(path: Path) -> Iterator[tuple[str, Open]]:
    """The files of an archive, links among them, and how to open each."""
    with ExitStack() as stack:
        try:
            if zipfile.is_zipfile(path):
                archive = stack.enter_context(zipfile.ZipFile(path))
                for entry in archive.infolist():
                    if not entry.is_dir():
                        yield entry.filename, lambda entry=entry: archive.open(entry)  # type: ignore[misc]
                return
            packed = stack.enter_context(tarfile.open(path))
            for member in packed:
                if member.isfile() or member.islnk() or member.issym():
                    yield member.name, lambda member=member: _opened(packed, member)  # type: ignore[misc]
        except (tarfile.TarError, zipfile.BadZipFile, EOFError, OSError, KeyError) as error:
            told = str(error).partition("\n")[0].rstrip(":")
            raise BadInput(
                f"The archive {path.name!r} cannot be read: {told}.", "Take one that ends in .zip, .nupkg or .tar.gz."
            ) from error


def _opened(packed: tarfile.TarFile, member: tarfile.TarInfo) -> IO[bytes]:
    file = packed.extractfile(member)
    if file is None:
        raise OSError(f"{member.name} is not a file")
    return file


def _joined(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name
