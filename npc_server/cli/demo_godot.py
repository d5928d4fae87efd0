"""Finding a Godot to show the town in, and opening it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from npc_server.cli.output import say
from npc_server.errors import NpcServerError

OLDEST = (4, 4)
_ROOT = Path(__file__).resolve().parents[2]
"""The repository, when run from one; an installed package has no Godot project beside it."""


def find_godot(environment: Mapping[str, str], root: Path = _ROOT) -> Path | None:
    """$GODOT, then godot or godot4 on the PATH, then the project's own; the first of version 4.4 or newer."""
    path = environment.get("PATH", "")
    candidates = [environment.get("GODOT", ""), shutil.which("godot", path=path), shutil.which("godot4", path=path)]
    candidates.append(str(root / ".godot-engine" / ("godot.exe" if sys.platform == "win32" else "godot")))
    for candidate in candidates:
        if candidate and Path(candidate).is_file() and version_of(Path(candidate)) >= OLDEST:
            return Path(candidate)
    return None


def version_of(godot: Path) -> tuple[int, int]:
    """(4, 6) for `4.6.stable`; (0, 0) for what is no Godot."""
    try:
        said = subprocess.run([str(godot), "--version"], capture_output=True, text=True, timeout=30, check=False).stdout
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
        return (0, 0)
    found = re.search(r"^(\d{1,4})\.(\d{1,4})", said, re.MULTILINE)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def has_display(environment: Mapping[str, str]) -> bool:
    return sys.platform in ("win32", "darwin") or bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))


def project(root: Path = _ROOT) -> Path | None:
    """The Godot town, if it is here and its bridge is built."""
    folder = root / "godot_project"
    built = any((folder / "addons" / "npc" / "bin").glob("libnpc_bridge*"))
    return folder if built and (folder / "project.godot").is_file() and (folder / "demo" / "town.tscn").is_file() else None


def why_not(environment: Mapping[str, str], root: Path = _ROOT, town: str = "millbrook") -> str:
    """Why a town, by name or file, cannot open in Godot; empty when it can."""
    if not has_display(environment):
        return "there is no display"
    if find_godot(environment, root) is None:
        return "no Godot 4.4 or newer is on the PATH or in $GODOT"
    if project(root) is None:
        return "the Godot project or its bridge is not here (`make bridge` builds it in the repository)"
    if town not in {path.name for path in (root / "godot_project" / "demo" / "towns").iterdir()}:
        return f"the Godot demo has no town {town!r}"
    return ""


def open_town(environment: Mapping[str, str], model: str | None, root: Path = _ROOT, arguments: Sequence[str] = ()) -> None:
    """Shows the town until its window is closed; the game starts the server itself. `arguments` are the demo's own, such as
    `--town=alderwick`. Raises NpcServerError."""
    godot, folder = find_godot(environment, root), project(root)
    assert godot is not None
    assert folder is not None
    # The game looks for `npc-server` on the PATH: it is to find the one that opened it.
    inherited = {**os.environ, **environment}
    inherited["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), inherited.get("PATH", "")])
    if model is not None:
        inherited["NPC_SERVER_ENGINE__MODEL"] = model
    try:
        if needs_import(folder):
            say("Importing the Godot project: some seconds, once and after a change of its scripts.", err=True)
            import_project(godot, folder, inherited)
        code = subprocess.run(
            [str(godot), "--path", str(folder), *(("--", *arguments) if arguments else ())], env=inherited, check=False
        ).returncode
    except KeyboardInterrupt:
        say("Closed. What was played is kept, and the town goes on from there the next time.")
        return
    except OSError as error:
        raise NpcServerError(f"Godot could not be started: {error.strerror}.", "Check $GODOT, or use --terminal.") from error
    if code not in (0, -2, 130):
        raise NpcServerError(f"Godot ended with code {code}.", "Its messages stand above; --terminal shows the town without it.")


def needs_import(folder: Path) -> bool:
    """True while Godot does not know the project's classes: never imported, or a script is newer than the list of them.

    The folder `.godot` alone says nothing: scripts/build_bridge.py makes it to name the extension.
    """
    classes = _classes(folder)
    if not classes.is_file():
        return True
    made = classes.stat().st_mtime_ns
    files = [folder / "project.godot", *(path for path in folder.rglob("*.gd") if ".godot" not in path.parts)]
    return any(file.stat().st_mtime_ns > made for file in files)


def import_project(godot: Path, folder: Path, environment: Mapping[str, str]) -> None:
    """Lets Godot find the project's classes and pictures. Raises NpcServerError when a script does not compile."""
    command = [str(godot), "--headless", "--path", str(folder), "--import"]
    done = subprocess.run(command, env=dict(environment), capture_output=True, text=True, errors="replace", check=False)
    said = (done.stdout + done.stderr).splitlines()
    wrong = [line for line in said if line.startswith("SCRIPT ERROR")]
    if wrong or done.returncode != 0 or not _classes(folder).is_file():
        # Godot writes its list even then; without it the next start imports again and says what is wrong again.
        _classes(folder).unlink(missing_ok=True)
        why = "\n".join(wrong or said[-10:])
        raise NpcServerError(
            f"The Godot project in {str(folder)!r} could not be imported (code {done.returncode}):\n{why}",
            f"Mend its scripts, or get them anew: git checkout -- {folder.name}",
        )
    # Godot leaves the list alone when no class of it changed.
    _classes(folder).touch()


def _classes(folder: Path) -> Path:
    return folder / ".godot" / "global_script_class_cache.cfg"
