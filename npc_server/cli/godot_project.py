"""Finds Godot and the Godot project of this repository, and imports the project."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from npc_server.errors import NpcServerError

OLDEST = (4, 4)
ROOT = Path(__file__).resolve().parents[2]
"""The repository. An installed package has no Godot project beside it."""


def find_godot(environment: Mapping[str, str], root: Path = ROOT) -> Path | None:
    """Finds Godot 4.4 or newer: $GODOT, then godot or godot4 on the PATH, then the one in `.godot-engine`."""
    path = environment.get("PATH", "")
    candidates = [environment.get("GODOT", ""), shutil.which("godot", path=path), shutil.which("godot4", path=path)]
    candidates.append(str(root / ".godot-engine" / ("godot.exe" if sys.platform == "win32" else "godot")))
    for candidate in candidates:
        if candidate and Path(candidate).is_file() and version_of(Path(candidate)) >= OLDEST:
            return Path(candidate)
    return None


def version_of(godot: Path) -> tuple[int, int]:
    """Returns the version of Godot, like (4, 6) for `4.6.stable`. Another program gives (0, 0)."""
    try:
        said = subprocess.run([str(godot), "--version"], capture_output=True, text=True, timeout=30, check=False).stdout
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
        return (0, 0)
    found = re.search(r"^(\d{1,4})\.(\d{1,4})", said, re.MULTILINE)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def find_project(root: Path = ROOT) -> Path | None:
    """Returns the folder of the Godot project if it exists."""
    folder = root / "godot_project"
    return folder if (folder / "project.godot").is_file() and (folder / "demo" / "town.tscn").is_file() else None


def has_native_bridge(project: Path) -> bool:
    """Whether the native library of the addon was built. Without it games use the server's socket."""
    return any((project / "addons" / "npc" / "bin").glob("libnpc_bridge*"))


def needs_import(folder: Path) -> bool:
    """Whether the project was never imported, or a script is newer than Godot's list of its classes.

    The folder `.godot` alone says nothing, since scripts/build_bridge.py makes it, too.
    """
    classes = _classes(folder)
    if not classes.is_file():
        return True
    made = classes.stat().st_mtime_ns
    files = [folder / "project.godot", *(path for path in folder.rglob("*.gd") if ".godot" not in path.parts)]
    return any(file.stat().st_mtime_ns > made for file in files)


def import_project(godot: Path, folder: Path, environment: Mapping[str, str]) -> None:
    """Imports the classes and pictures of the project. Raises NpcServerError if a script does not compile."""
    command = [str(godot), "--headless", "--path", str(folder), "--import"]
    done = subprocess.run(command, env=dict(environment), capture_output=True, text=True, errors="replace", check=False)
    said = (done.stdout + done.stderr).splitlines()
    wrong = [line for line in said if line.startswith("SCRIPT ERROR")]
    if wrong or done.returncode != 0 or not _classes(folder).is_file():
        # Godot writes its list of classes even then. Without the list, the next start imports again and reports the same problem.
        _classes(folder).unlink(missing_ok=True)
        why = "\n".join(wrong or said[-10:])
        raise NpcServerError(
            f"The Godot project in {str(folder)!r} could not be imported (code {done.returncode}):\n{why}",
            f"Mend its scripts, or get them anew: git checkout -- {folder.name}",
        )
    # Godot does not rewrite the list when no class has changed.
    _classes(folder).touch()


def _classes(folder: Path) -> Path:
    return folder / ".godot" / "global_script_class_cache.cfg"
