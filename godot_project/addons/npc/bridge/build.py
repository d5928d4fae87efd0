"""Builds the bridge into `addons/npc/bin/`: `python build.py [--godot PATH] [--force]`, with the Python that Godot shall embed.

Needs cffi and setuptools in that Python, its headers and shared library, gcc, and Godot 4.4 or later (for its C header, kept in
`bin/`). Does nothing when what is there is up to date.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

HERE = Path(__file__).resolve().parent
BIN = HERE.parent / "bin"
PROJECT = HERE.parents[3]
LIBRARY = "libnpc_bridge.so"
BUNDLE = "npc-server"
"""The folder beside an exported game's library that `npc-server bundle` makes. Its Python is taken first."""
HEADER = "gdextension_interface.h"
EXTENSION = "npc_bridge.gdextension"
"""It lies beside the library, so that Godot knows nothing of a library that was not built."""
CDEF = """
int npc_wake_fd(void);
int npc_stopping(void);
void *npc_take(int64_t *bridge, char **data, size_t *size);
void npc_free(void *taken);
int64_t npc_give(int64_t bridge, const char *data, size_t size);
"""
INIT = """
from _npc_bridge import ffi, lib

@ffi.def_extern(error=0)
def npc_python_run():
    from npc_bridge.main import run
    run(ffi, lib)
    return 1
"""


class Missing(Exception):
    """Something the build needs is not there; the message says how to get it."""


def find_godot(given: str | None, env: Mapping[str, str] = os.environ) -> str:
    """`--godot`, then $GODOT, then `godot` or `godot4` on PATH, then the project's `.godot-engine`. Raises Missing."""
    for choice in (given, env.get("GODOT")):
        if choice:
            found = shutil.which(choice)
            if found is None:
                raise Missing(f"{choice!r} is not a program. Set GODOT to a Godot 4.4 or later.")
            return found
    here = PROJECT / ".godot-engine" / "godot"
    for name in ("godot", "godot4", str(here)):
        found = shutil.which(name)
        if found is not None:
            return found
    raise Missing("There is no Godot. Install Godot 4.4 or later, set GODOT to it, or on Debian run scripts/get_godot.sh.")


def python_library() -> Path:
    """The shared library of this Python. Raises Missing."""
    name = sysconfig.get_config_var("INSTSONAME") or ""
    folder = Path(sysconfig.get_config_var("LIBDIR") or "")
    for found in (folder / name, Path(sys.base_prefix) / "lib" / name):
        if name.startswith("libpython") and ".so" in name and found.is_file():
            return found
    multi = folder / (sysconfig.get_config_var("MULTIARCH") or "") / name
    if ".so" in name and multi.is_file():
        return multi
    raise Missing(
        f"The Python at {sys.base_prefix} has no shared library ({name or 'static build'}). Use one that has: `uv python install`, "
        "Debian's libpython3-dev, or pyenv with PYTHON_CONFIGURE_OPTS=--enable-shared; then make the virtual environment again."
    )


def check_tools() -> str:
    """The C compiler. Raises Missing for whatever is not there."""
    compiler = shutil.which(os.environ.get("CC", "gcc")) or shutil.which("cc")
    if compiler is None:
        raise Missing("There is no C compiler. Install gcc (Debian: apt install gcc), or set CC.")
    header = Path(sysconfig.get_paths()["include"]) / "Python.h"
    if not header.is_file():
        raise Missing(f"There is no {header}. Install this Python's headers (Debian: apt install python3-dev).")
    try:
        import cffi  # noqa: F401
        import setuptools  # type: ignore[import-untyped, unused-ignore]  # noqa: F401
    except ImportError as error:
        raise Missing(f"This Python has no {error.name}. Install it: uv pip install 'npc-server[bridge]'.") from error
    return compiler


def godot_header(godot: str) -> Path:
    """Godot's C header of the extension interface, dumped once for each version."""
    asked = subprocess.run([godot, "--version"], capture_output=True, text=True, timeout=60, check=False)
    version = asked.stdout.strip().splitlines()[-1] if asked.stdout.strip() else ""
    numbers = version.split(".")
    if len(numbers) < 2 or not (numbers[0].isdigit() and numbers[1].isdigit()) or (int(numbers[0]), int(numbers[1])) < (4, 4):
        raise Missing(f"{godot} is version {version or 'unknown'!r}. Use Godot 4.4 or later.")
    kept, stamp = BIN / HEADER, BIN / f"{HEADER}.version"
    if kept.is_file() and stamp.is_file() and stamp.read_text() == version:
        return kept
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([godot, "--headless", "--dump-gdextension-interface"], cwd=folder, capture_output=True, timeout=120, check=False)
        made = Path(folder) / HEADER
        if not made.is_file():
            raise Missing(f"{godot} did not write {HEADER}. Use a Godot with the editor (not an export template).")
        BIN.mkdir(parents=True, exist_ok=True)
        shutil.copy(made, kept)
    stamp.write_text(version)
    return kept


def write_beside() -> None:
    """What tells Godot of the library, where its Python is, its Python half, and the npc-server beside that Python."""
    sites = {sysconfig.get_paths()["purelib"], sysconfig.get_paths()["platlib"]}
    # First the package that this Python imports: PYTHONPATH, which the library does not read, may have put it before an installed one.
    package = importlib.util.find_spec("npc_server")
    first = [str(Path(package.origin).parents[1])] if package is not None and package.origin is not None else []
    lines = [f"home={sys.base_prefix}", "site=python", *(f"site={site}" for site in [*first, *sorted(sites - set(first))])]
    server = Path(sysconfig.get_paths()["scripts"]) / "npc-server"
    if server.is_file():
        lines.append(f"server={server}")
    (BIN / "npc_bridge.path").write_text("\n".join(lines) + "\n")
    (BIN / ".gitignore").write_text("# Made on this machine, and of use on no other.\n*\n")
    shutil.copy(HERE / EXTENSION, BIN / EXTENSION)
    (BIN / "python").mkdir(exist_ok=True)
    with zipfile.ZipFile(BIN / "python" / "npc_bridge.zip", "w") as packed:
        for file in sorted((HERE / "npc_bridge").glob("*.py")):
            packed.write(file, f"npc_bridge/{file.name}")
    (BIN / "python" / "npc_bridge.pth").write_text("npc_bridge.zip\n")


def fingerprint(header: Path, library: Path) -> str:
    """Of everything the library is made from."""
    parts = [
        Path(__file__).read_bytes(),
        *(path.read_bytes() for path in sorted(HERE.glob("*.[ch]"))),
        header.read_bytes(),
        str(library).encode(),
        sys.version.encode(),
    ]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def compile_library(header: Path, library: Path, compiler: str) -> None:
    import cffi

    ffi = cffi.FFI()
    ffi.cdef(CDEF)
    ffi.embedding_api("int npc_python_run(void);")
    ffi.embedding_init_code(INIT)
    ffi.set_source(
        "_npc_bridge",
        (HERE / "bridge.c").read_text(),
        include_dirs=[str(header.parent), str(HERE)],
        define_macros=[("_GNU_SOURCE", None), ("NPC_LIBPYTHON", f'"{library.name}"'), ("NPC_BUNDLE", f'"{BUNDLE}"')],
        library_dirs=[str(library.parent)],
        runtime_library_dirs=[f"$ORIGIN/{BUNDLE}/python/lib", f"$ORIGIN/{BUNDLE}/python/lib/native", str(library.parent)],
        # The old kind of run path counts for libpython's own libraries, too.
        extra_link_args=["-Wl,--disable-new-dtags"],
        extra_compile_args=["-O2", "-pthread", "-fvisibility=hidden"],
    )
    os.environ.setdefault("CC", compiler)
    # Some Pythons link with a run path of their own, which would come before that of an exported game's folder.
    os.environ.setdefault("LDSHARED", f"{compiler} -shared")
    with tempfile.TemporaryDirectory() as folder:
        made = ffi.compile(tmpdir=folder, target=LIBRARY, verbose=False)
        # Renamed into place: a Godot that runs keeps the file it has open.
        shutil.copy(made, BIN / f"{LIBRARY}.new")
        (BIN / f"{LIBRARY}.new").replace(BIN / LIBRARY)


def build(godot: str | None = None, force: bool = False) -> bool:
    """True when something was built. Raises Missing."""
    compiler, library = check_tools(), python_library()
    header = godot_header(find_godot(godot))
    mark, stamp = fingerprint(header, library), BIN / "built"
    write_beside()
    if not force and stamp.is_file() and stamp.read_text() == mark and (BIN / LIBRARY).is_file():
        return False
    compile_library(header, library, compiler)
    stamp.write_text(mark)
    return True


def main() -> int:
    parser = argparse.ArgumentParser(description="Builds the bridge between Godot and npc-server.")
    parser.add_argument("--godot", help="Godot 4.4 or later; else $GODOT, PATH, .godot-engine/godot")
    parser.add_argument("--force", action="store_true", help="build even when it is up to date")
    given = parser.parse_args()
    try:
        done = build(given.godot, given.force)
    except Missing as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(f"{BIN / LIBRARY}: {'built' if done else 'up to date'}.\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
