"""Checks whether `npc-server demo` can open the town in Godot, and opens it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from npc_server.cli.godot_project import ROOT, find_godot, find_project, import_project, needs_import
from npc_server.cli.output import say
from npc_server.errors import NpcServerError


def _has_display(environment: Mapping[str, str]) -> bool:
    return sys.platform in ("win32", "darwin") or bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))


def why_not_in_godot(environment: Mapping[str, str], root: Path = ROOT, town: str = "millbrook") -> str:
    """Says why a town (a name or a file) cannot open in Godot. The text is empty if it can."""
    if not _has_display(environment):
        return "there is no display"
    if find_godot(environment, root) is None:
        return "no Godot 4.4 or newer is on the PATH or in $GODOT"
    if find_project(root) is None:
        return "the Godot project is not here (it is in the repository, and not in the package)"
    if town not in {path.name for path in (root / "godot_project" / "demo" / "towns").iterdir()}:
        return f"the Godot demo has no town {town!r}"
    return ""


def never_opened(root: Path = ROOT) -> bool:
    """Whether the town was never opened in Godot here, or its scripts have changed since."""
    folder = find_project(root)
    return folder is not None and needs_import(folder)


def open_in_godot(environment: Mapping[str, str], model: str | None, root: Path = ROOT, arguments: Sequence[str] = ()) -> None:
    """Shows the town until its window is closed. The game starts the server itself. Raises NpcServerError if Godot fails.

    `arguments` go to the Godot demo, for example `--town=alderwick`.
    """
    godot, folder = find_godot(environment, root), find_project(root)
    assert godot is not None
    assert folder is not None
    # The game looks for `npc-server` on the PATH. It should find this one.
    inherited = {**os.environ, **environment}
    inherited["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), inherited.get("PATH", "")])
    if model is not None:
        inherited["NPC_SERVER_ENGINE__MODEL"] = model
    try:
        if needs_import(folder):
            say("Importing the Godot project. This takes some seconds, now and after each change of its scripts.", err=True)
            import_project(godot, folder, inherited)
        code = subprocess.run(
            [str(godot), "--path", str(folder), *(("--", *arguments) if arguments else ())], env=inherited, check=False
        ).returncode
    except KeyboardInterrupt:
        say("Closed. The town is saved and goes on from here next time.")
        return
    except OSError as error:
        raise NpcServerError(f"Godot could not be started: {error.strerror}.", "Check $GODOT, or use --terminal.") from error
    if code not in (0, -2, 130):
        raise NpcServerError(f"Godot ended with code {code}.", "See its messages above, or use --terminal to show the town without Godot.")
