"""Which files of Python a bundle needs: the program, its shared library, and the standard library without what only developers use."""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from npc_server.bundle.copies import LICENCES, PYTHON, Copy, tree
from npc_server.errors import BadInput

UNUSED = frozenset(
    ("curses", "dist-packages", "distutils", "ensurepip", "idlelib", "lib2to3", "pydoc_data", "site-packages", "tkinter", "turtledemo")
)
"""What lies in the standard library and no server needs. Folders `config-…`, which are for compiling, are left out, too."""
UNUSED_MODULES = frozenset(
    ("_crypt", "_ctypes_test", "_curses", "_curses_panel", "_dbm", "_gdbm", "_tkinter", "nis", "ossaudiodev", "readline")
)
"""Compiled modules that no server needs. readline, gdbm and some versions of dbm have licences that a game may not be able to keep."""
HOW = (
    "Use a Python that has one: `uv python install`, Debian's libpython3-dev, or pyenv with PYTHON_CONFIGURE_OPTS=--enable-shared. "
    "Then make the virtual environment again."
)


def python_files() -> Iterator[Copy]:
    """Everything of the Python that runs this. Raises BadInput if it has no shared library."""
    library = shared_library()
    yield Copy(Path(sys.executable).resolve(), PYTHON / "bin" / "python3")
    yield Copy(library.resolve(), PYTHON / "lib" / library.name)
    base, seen = Path(sys.base_prefix), set[Path]()
    for kind in ("stdlib", "platstdlib"):
        # In a virtual environment the second is its own and empty of modules.
        folder = Path(sysconfig.get_path(kind, vars={"installed_base": str(base), "platbase": sys.base_exec_prefix}))
        if folder not in seen and folder.is_dir():
            seen.add(folder)
            yield from tree(folder, PYTHON / folder.relative_to(base), is_used)
    yield from licence(base, next(iter(seen)))


def is_used(path: Path) -> bool:
    """Whether a file or folder of the standard library belongs into a bundle."""
    name = path.name
    if {".so", ".pyd"} & set(path.suffixes):
        module = name.partition(".")[0]
        return module not in UNUSED_MODULES and not module.startswith(("_test", "_xxtest", "xxlimited"))
    return name not in UNUSED and not name.startswith("config-") and path.suffix not in (".a", ".pyc", ".exe")


def shared_library() -> Path:
    """The shared library of this Python, which the bridge embeds. Raises BadInput."""
    name = sysconfig.get_config_var("INSTSONAME") or ""
    folder = Path(sysconfig.get_config_var("LIBDIR") or "/")
    choices = (folder / name, Path(sys.base_prefix) / "lib" / name, folder / (sysconfig.get_config_var("MULTIARCH") or "") / name)
    found = next((path for path in choices if name.startswith("libpython") and ".so" in name and path.is_file()), None)
    if found is None:
        raise BadInput(f"The Python at {sys.base_prefix!r} has no shared library ({name or 'static build'}).", HOW)
    return found


def licence(base: Path, stdlib: Path) -> Iterator[Copy]:
    """Python's licence, wherever this Python keeps it."""
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    for path in (stdlib / "LICENSE.txt", base / "LICENSE.txt", base / "share" / "doc" / version / "copyright"):
        if path.is_file():
            yield Copy(path, LICENCES / "python.txt")
            return
