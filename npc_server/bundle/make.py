"""Makes a bundle for machines like this one: plans which files it has, and lets them be written unless it is there and up to date."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from pathlib import Path

from npc_server import __file__ as own_file
from npc_server import __version__
from npc_server.bundle.copies import LICENCES, Copy, fingerprint
from npc_server.bundle.licences import licences_of, own_licences
from npc_server.bundle.model_files import model_files, unneeded
from npc_server.bundle.native import native_of
from npc_server.bundle.package_files import bridge_part, files_of, licence_list, needed, own_files
from npc_server.bundle.place import MARK, Bundle, Mark, bytes_of, check_place, read_mark
from npc_server.bundle.python_files import python_files
from npc_server.bundle.write import Contents, write_bundle
from npc_server.config import EngineSettings
from npc_server.llm.runtime import COMPILED, packages_of_runtime

FORM = "1"
"""Changes when the same files would make another bundle."""
PACKAGE = Path(own_file).resolve().parent


def make_bundle(folder: Path, engine: EngineSettings | None) -> Bundle:
    """Makes the bundle `folder`, or leaves it as it is if it is up to date. Without `engine` it has no models.

    Raises BadInput if the folder is something else, this Python cannot be taken along, or the disk is full; and ModelMissing.
    """
    folder = folder.absolute()
    check_place(folder)
    packages, in_game = needed(), bridge_part()
    models = tuple(model_files(engine)) if engine else ()
    copies = (*python_files(), *own_licences(PACKAGE), *own_files(PACKAGE, unneeded(models)), *models)
    copies += tuple(copy for package in (*packages, *in_game) for copy in files_of(package))
    made_of, old = fingerprint(copies, FORM, sys.version), read_mark(folder)
    if old is not None and (old.made_of, old.system) == (made_of, _of_system(old.libraries)):
        return Bundle(folder, False, bytes_of(folder), old)
    native = native_of(copies)
    licences, without = licences_of(native.copies)
    libraries = tuple(str(copy.source) for copy in native.copies)
    mark = Mark(__version__, made_of, libraries, _of_system(libraries), native.glibc, _processor() if models else (), without)
    listed = licence_list((*packages, *in_game))
    texts = {Path(".gdignore"): "", Path(MARK): mark.as_text, LICENCES / "packages.txt": listed}
    write_bundle(folder, Contents((*copies, *native.copies, *licences), native.preloaded, texts))
    return Bundle(folder, True, bytes_of(folder), mark)


def _processor() -> tuple[str, ...]:
    if packages_of_runtime()[0] != COMPILED:
        return ()  # a prebuilt one finds out where it runs
    # Importing llama.cpp takes a second, and a bundle that is up to date does not need it.
    from npc_server.llm.llama import library_facts

    return rare_features(library_facts()["system"])


def rare_features(system_info: str) -> tuple[str, ...]:
    """Those instruction sets in llama.cpp's description of itself that x86-64-v3 does not have."""
    return tuple(name for name, on in re.findall(r"\b(AVX512\w*|AMX\w*|AVX_VNNI\w*) = (\d)", system_info) if on == "1")


def _of_system(libraries: Iterable[str]) -> str:
    try:
        return fingerprint([Copy(Path(path), Path(path)) for path in libraries])
    except OSError:
        return "gone"
