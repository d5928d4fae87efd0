"""Which shared libraries of this system a bundle must bring, and how new a system it needs."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter
from pathlib import Path

from npc_server.bundle.copies import NATIVE, PYTHON, Copy
from npc_server.errors import BadInput

BASE_SYSTEM = re.compile(r"(ld-linux.*|lib(c|m|pthread|dl|rt|util|resolv|gcc_s|stdc\+\+|cuda|nvidia-.*))\.so(\.\d+)*")
"""What every Linux with a desktop has, and must use its own of.

The C library belongs to the system's loader. Graphics drivers are written in C++ and are loaded into the game and the server. An older
libstdc++ or libgcc_s of ours, already there, would break newer drivers. The parts of graphics drivers belong to the driver.
"""
AT_ONCE = 200
"""Files that one call of ldd looks at."""
_FOUND = re.compile(r"^\t(\S+) => (/.+) \(0x[0-9a-f]+\)$")
_VERSION = re.compile(rb"GLIBC_2\.(\d+)")


@dataclass(frozen=True)
class Native:
    """The libraries of this system that a bundle brings."""

    copies: tuple[Copy, ...]
    """In an order in which each comes after those that it needs."""
    preloaded: tuple[Path, ...]
    """Those of Python itself, as paths in the bundle. The bridge loads them, since it cannot tell the game's loader where they are."""
    glibc: int
    """The bundle needs glibc 2.x of at least this x."""


def native_of(copies: Sequence[Copy]) -> Native:
    """Finds what the libraries and programs among the files need and the bundle would lack. Raises BadInput without ldd."""
    compiled = [copy for copy in copies if copy.is_native]
    inside = {copy.source.resolve() for copy in copies}
    needs = libraries_of([copy.source for copy in compiled])
    outside = {name: path for found in needs.values() for name, path in found.items() if _is_brought(name, path, inside)}
    of_outside = libraries_of(list(outside.values()))
    order = TopologicalSorter({name: [it for it in of_outside[path] if it in outside] for name, path in outside.items()})
    ordered = tuple(Copy(outside[name].resolve(), NATIVE / name) for name in order.static_order())
    of_python = {name for copy in compiled if PYTHON in copy.target.parents for name in needs[copy.source]}
    return Native(
        ordered,
        tuple(copy.target for copy in ordered if copy.target.name in of_python),
        max((newest_glibc(copy.source) for copy in (*compiled, *ordered)), default=0),
    )


def libraries_of(files: Sequence[Path]) -> dict[Path, dict[str, Path]]:
    """For each file the libraries that it needs, and those that they need: name and path. What this system lacks is left out, too."""
    found: dict[Path, dict[str, Path]] = {file: {} for file in files}
    for start in range(0, len(files), AT_ONCE):
        part = files[start : start + AT_ONCE]
        # With one file ldd would not name it. So there are always two, and this one needs nothing new.
        for name, path, of in _asked([*part, *part[:1]]):
            found[of][name] = path
    return found


def newest_glibc(file: Path) -> int:
    """The x of the newest GLIBC_2.x that a library or program asks for; 0 if it asks for none."""
    return max((int(number) for number in _VERSION.findall(file.read_bytes())), default=0)


def _asked(files: Sequence[Path]) -> Iterable[tuple[str, Path, Path]]:
    try:
        done = subprocess.run(["ldd", *map(str, files)], capture_output=True, text=True, check=False, timeout=120)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BadInput(f"ldd cannot be run: {error}.", "Make the bundle on a Linux with glibc, whose package has ldd.") from error
    by_name = {str(file): file for file in files}
    current = files[0]
    for line in done.stdout.splitlines():
        current = by_name.get(line.rstrip(":"), current) if not line.startswith("\t") else current
        if match := _FOUND.match(line):
            yield match[1], Path(match[2]), current


def _is_brought(name: str, path: Path, inside: set[Path]) -> bool:
    return BASE_SYSTEM.fullmatch(name) is None and path.resolve() not in inside
