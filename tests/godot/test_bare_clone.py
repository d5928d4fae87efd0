"""The first minute of a new user: a bare clone, and what `make demo` does in it after the packages are there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.godot.conftest import ROOT, user_folder
from tests.godot.display import display
from tests.godot.test_real_server import PEOPLE, REAL, told
from tests.waiting import LIMIT_S

pytestmark = pytest.mark.godot

OPEN = """
import os, sys
from pathlib import Path
import npc_server
from npc_server.cli.demo_in_godot import open_in_godot, why_not_in_godot
assert Path(npc_server.__file__).is_relative_to(os.getcwd()), npc_server.__file__
assert why_not_in_godot(os.environ) == "", why_not_in_godot(os.environ)
open_in_godot(os.environ, "none", arguments=sys.argv[1:])
"""
"""What `npc-server demo` does, with a game that ends by itself."""


def test_make_demo_in_a_bare_clone_opens_the_town_with_its_people(godot: str, tmp_path: Path) -> None:
    """NPC_SCREENSHOT_CLONE names a file to keep the picture in."""
    clone = tmp_path / "clone"
    copy_tracked_files(clone)
    (clone / ".venv").symlink_to(sys.prefix, target_is_directory=True)  # what `make setup` brings
    picture = Path(os.environ.get("NPC_SCREENSHOT_CLONE", tmp_path / "town.png"))
    with display() as screen:
        environment = {**os.environ, **user_folder(tmp_path), **REAL, **screen, "GODOT": silent(godot, tmp_path), "PYTHONPATH": str(clone)}
        built = run(["sh", "scripts/bridge_if_godot.sh"], clone, environment)
        assert built.returncode == 0, built.stdout + built.stderr
        python = str(clone / ".venv" / "bin" / "python")
        done = run([python, "-c", OPEN, "--quit-after-stored=60", f"--picture={picture}"], clone, environment)
    output = done.stdout + done.stderr
    assert done.returncode == 0, output
    assert "SCRIPT ERROR" not in output, output
    assert "Importing" in done.stderr, output
    bodies = " ".join(body for _, _, body in told(tmp_path))
    assert all(npc in bodies for npc in PEOPLE), "somebody is not in the town"
    assert picture.stat().st_size > 50_000, "the picture is nearly empty"


def copy_tracked_files(into: Path) -> None:
    """A clone as it would be if everything here were committed."""
    asked = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in listed.split("\0"):
        if name and (ROOT / name).is_file():
            (into / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, into / name)


def silent(godot: str, folder: Path) -> str:
    """A Godot without sound, since a test machine has no sound card; a grey window that never plays is closed in the end."""
    path = folder / "godot"
    path.write_text(f'#!/bin/sh\nexec timeout {LIMIT_S} "{Path(godot).absolute()}" --audio-driver Dummy "$@"\n')
    path.chmod(0o755)
    return str(path)


def run(command: list[str], folder: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=LIMIT_S, check=False)
