"""Makes a bundle for any system: from wheels, and from an archive with its Python. Nothing of this machine's own Python is in it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from npc_server import __file__ as own_file
from npc_server import __version__
from npc_server.bundle.check import problems_of
from npc_server.bundle.copies import LICENCES, Copy, fingerprint
from npc_server.bundle.licences import own_licences
from npc_server.bundle.model_files import model_files, unneeded
from npc_server.bundle.native import newest_glibc
from npc_server.bundle.package_files import licence_list, own_files
from npc_server.bundle.place import MARK, Bundle, Mark, bytes_of, check_place, read_mark
from npc_server.bundle.python_archive import Archive, read_archive, unpack
from npc_server.bundle.systems import ELF, System, is_this
from npc_server.bundle.wheels import fetch_wheels, unpack_wheel, versions_here
from npc_server.bundle.write import Contents, write_bundle
from npc_server.config import EngineSettings
from npc_server.errors import BadInput

FORM = "wheels 1"
"""Changes when the same files would make another bundle."""
PACKAGE = Path(own_file).resolve().parent
SHOWN = 5
"""So many problems are told at once."""


@dataclass(frozen=True)
class BundleSource:
    """What a bundle is made from, besides npc-server itself."""

    system: System
    python: Path
    """The archive with Python."""
    sha256: str
    """Its checksum."""
    wheels: Path | None = None
    """A folder of wheels. Without it they are downloaded."""


def make_from_wheels(folder: Path, engine: EngineSettings | None, source: BundleSource) -> Bundle:
    """Make the bundle `folder` for a system, or leave it as it is if it is up to date. Without `engine` it has no models.

    Raises BadInput if the archive, a wheel or a file does not fit the system, or the disk is full; and ModelMissing.
    """
    folder = folder.absolute()
    check_place(folder)
    system, archive = source.system, read_archive(source.python, source.sha256, source.system)
    models = tuple(model_files(engine)) if engine else ()
    own = (*own_licences(PACKAGE), *own_files(PACKAGE, unneeded(models)), *models)
    made_of, old = fingerprint(own, FORM, system.name, archive.sha256, *versions_here()), read_mark(folder)
    if old is not None and old.made_of == made_of:
        return Bundle(folder, False, bytes_of(folder), old)
    with tempfile.TemporaryDirectory(prefix="npc-bundle.", dir=folder.parent) as unpacked:
        return _make(folder, own, made_of, archive, source, Path(unpacked))


def _make(folder: Path, own: tuple[Copy, ...], made_of: str, archive: Archive, source: BundleSource, unpacked: Path) -> Bundle:
    system = source.system
    fetched, parts = unpacked / "wheels", unpacked / "files"
    fetched.mkdir()
    wheels = fetch_wheels(system, archive.minor, fetched, source.wheels)
    copies = [*unpack(archive, system, parts / "python"), *(copy for wheel in wheels for copy in unpack_wheel(wheel, parts))]
    last = {copy.target: copy for copy in copies}  # the libraries of Visual C++ replace older ones that Python brings
    everything = (*last.values(), *own)
    if problems := tuple(problems_of(everything, system)):
        more = f" (and {len(problems) - SHOWN} more)" if len(problems) > SHOWN else ""
        told = "; ".join(problems[:SHOWN])
        raise BadInput(f"This would be no bundle for {system.title}: {told}{more}.", "Take another archive of Python, or other wheels.")
    mark = Mark(__version__, made_of, (), "", _glibc(last.values(), system), (), (), platform=system.name, was_run=is_this(system))
    texts = {Path(".gdignore"): "", Path(MARK): mark.as_text, LICENCES / "packages.txt": licence_list(wheel.package for wheel in wheels)}
    write_bundle(folder, Contents(everything, (), texts, system, archive.minor))
    return Bundle(folder, True, bytes_of(folder), mark)


def _glibc(copies: Iterable[Copy], system: System) -> int:
    return max((newest_glibc(copy.source) for copy in copies if copy.is_native), default=0) if system.format == ELF else 0
