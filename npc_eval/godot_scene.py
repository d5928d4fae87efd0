"""Runs a benchmark scene of the Godot project."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from npc_server.errors import NpcServerError

TIMEOUT_S = 300
"""Wall seconds that a benchmark scene may take."""


def scene_figures(
    godot: Path, project: Path, scene: Sequence[str], folder: Path, what: str, transport: str = "auto", timeout_s: float = TIMEOUT_S
) -> dict[str, Any]:
    """Runs a scene of godot_project/tests without a display, and returns the JSON after its `RESULT`. Raises NpcServerError.

    `transport` is what carries its messages: auto, socket or native. Its server has no model, and its own folders inside `folder`, so that
    the player's saves are safe.
    """
    own = {
        "NPC_SERVER_COMMAND": str(Path(sys.executable).with_name("npc-server")),
        "NPC_SERVER_TRANSPORT": transport,
        "NPC_SERVER_ENGINE__MODEL": "none",
        "NPC_SERVER_ENGINE__EMBEDDING_MODEL": "none",
        "NPC_SERVER_SAVE__FOLDER": str(folder / "saves"),
        "XDG_DATA_HOME": str(folder / "data"),
    }
    command = [str(godot), "--headless", "--path", str(project), "res://tests/run.tscn", "--", *scene]
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout_s, check=False, env={**os.environ, **own})
    return figures_in(done.returncode, done.stdout + done.stderr, what)


def figures_in(code: int, output: str, what: str) -> dict[str, Any]:
    """The JSON after the last `RESULT` of a scene that ended with `code`. Raises NpcServerError if there is none."""
    lines = [line for line in output.splitlines() if line.startswith("RESULT ")]
    if code != 0 or not lines:
        raise NpcServerError(f"{what} could not be measured: {output[-500:]}", "Import the project first (docs/godot.md).")
    found: dict[str, Any] = json.loads(lines[-1].removeprefix("RESULT "))
    return found
