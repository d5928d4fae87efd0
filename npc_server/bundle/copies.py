"""What a bundle is made of: files, each with its place in the bundle."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

PYTHON = Path("python")
"""The folder of Python in a bundle."""
PACKAGES = Path("packages")
"""The folder of the packages, npc-server among them. Python finds it only through the launcher and the bridge."""
NATIVE = PYTHON / "lib" / "native"
"""The folder of the shared libraries of this system that other systems may lack."""
LICENCES = Path("licences")
LEFT_OUT_FOLDERS = frozenset({"__pycache__", "test", "tests"})


@dataclass(frozen=True)
class Copy:
    """A file of this machine, and its path in the bundle."""

    source: Path
    target: Path

    @property
    def is_native(self) -> bool:
        """Whether it is a library or a program, which needs other libraries."""
        if ".so" not in self.source.name and "bin" not in self.target.parts:
            return False
        with self.source.open("rb") as file:
            return file.read(4) == b"\x7fELF"


def tree(folder: Path, target: Path, keep: Callable[[Path], bool] = lambda path: True) -> Iterator[Copy]:
    """All files under `folder` whose path in it `keep` accepts. Tests and compiled files are left out."""
    for source in sorted(folder.iterdir()):
        inside = target / source.name
        if source.is_dir():
            if source.name not in LEFT_OUT_FOLDERS and keep(source):
                yield from tree(source, inside, keep)
        elif source.is_file() and keep(source):
            yield Copy(source, inside)


def total_bytes(copies: Iterable[Copy]) -> int:
    return sum(copy.source.stat().st_size for copy in copies)


def fingerprint(copies: Iterable[Copy], *more: str) -> str:
    """Of the places, sizes and times of all files. It changes when a bundle of them would be another one."""
    digest = hashlib.sha256("\0".join(more).encode())
    for copy in sorted(copies, key=lambda it: it.target):
        found = copy.source.stat()
        digest.update(f"{copy.source}\0{copy.target}\0{found.st_size}\0{found.st_mtime_ns}\n".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()
