"""The licences of what a bundle brings, beside those that packages have themselves."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

from npc_server.bundle.copies import LICENCES, Copy
from npc_server.llm.models import PACKAGED

DOCS = Path("/usr/share/doc")


def own_licences(package: Path) -> Iterator[Copy]:
    """npc-server's, from the clone or from where pip put it, and those of its models."""
    installed = sorted(package.parent.glob("npc_server-*.dist-info/licenses/LICENSE"))
    for path in (package.parent / "LICENSE", *installed):
        if path.is_file():
            yield Copy(path, LICENCES / "npc-server.txt")
            break
    yield Copy(PACKAGED / "LICENSE", LICENCES / "models.txt")
    yield Copy(PACKAGED / "NOTICE", LICENCES / "models-notice.txt")


def licences_of(libraries: Iterable[Copy]) -> tuple[tuple[Copy, ...], tuple[str, ...]]:
    """The licences that Debian's packages have of their libraries, and the names of the libraries for which none was found."""
    found, without = [], []
    for library in libraries:
        file = _of_debian(library.source)
        if file is None:
            without.append(library.target.name)
        else:
            found.append(Copy(file, LICENCES / f"{library.target.name}.txt"))
    return tuple(found), tuple(without)


def _of_debian(library: Path) -> Path | None:
    """The copyright file of the package that a library belongs to."""
    for path in (library, Path("/", *library.parts[2:]) if library.parts[:2] == ("/", "usr") else library):
        try:
            done = subprocess.run(["dpkg-query", "--search", str(path)], capture_output=True, text=True, check=False, timeout=60)
        except (OSError, subprocess.TimeoutExpired):
            return None
        file = DOCS / done.stdout.partition(":")[0].strip() / "copyright"
        if done.returncode == 0 and file.is_file():
            return file
    return None
