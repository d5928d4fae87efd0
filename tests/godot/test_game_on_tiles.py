"""A small game on tiles, played with keys by the real server without a model: a shop, a theft, a pause, a quest and two slots."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.godot.conftest import PROJECT, copy_addon, user_folder
from tests.godot.test_real_server import REAL
from tests.waiting import LIMIT_S

pytestmark = [pytest.mark.godot, pytest.mark.usefixtures("transport")]
GAME = Path(__file__).with_name("small_game_tiles")
SETTINGS = """config_version=5

[application]
config/name="Cove"
run/main_scene="res://main.tscn"
config/features=PackedStringArray("4.4")

[autoload]
NpcServer="*res://addons/npc/npc_server.gd"

[debug]
gdscript/warnings/untyped_declaration=2

[npc]
save/town="res://people/town.yaml"
save/personas="res://people/personas"
"""
SCENE = """[gd_scene load_steps=2 format=3]

[ext_resource type="Script" path="res://main.gd" id="1"]

[node name="Main" type="Node"]
script = ExtResource("1")
"""


def play(godot: str, folder: Path) -> dict[str, Any]:
    """What came of it, in a project of its own."""
    project = folder / "game"
    shutil.copytree(GAME, project)
    copy_addon(project)
    shutil.copy(PROJECT / "tests" / "tile_town.gd", project)
    shutil.copy(PROJECT / "recipes" / "tile_map" / "tiles.gd", project)
    (project / "project.godot").write_text(SETTINGS)
    (project / "main.tscn").write_text(SCENE)
    output = ""
    for arguments in (["--import"], []):
        command = [godot, "--headless", "--path", str(project), *arguments]
        env = {**os.environ, **user_folder(folder), **REAL}
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=LIMIT_S, check=False)
        output = done.stdout + done.stderr
        assert "SCRIPT ERROR" not in output, output
    found: dict[str, Any] = json.loads(next(line[7:] for line in output.splitlines() if line.startswith("RESULT ")))
    return found


def test_a_game_on_tiles_is_played_with_keys(godot: str, tmp_path: Path) -> None:
    said = play(godot, tmp_path)
    assert "stuck" not in said, said
    assert (said["failures"], said["not_done"]) == ([], [])
    assert said["slots_before"] == 0
    assert (said["shop"], said["quest"], said["walked_off"]) == (True, True, True)
    assert said["shopped"] == [{"item": "sword"}]
    assert said["quests"] == ["bucket"]
    assert said["theft"] >= 1
    assert said["paused"] == 0
    assert said["slot_one"] == [False, 0, 0]
    assert said["slot_two"][:2] == [True, 1]
    assert said["slot_two"][2] >= 1
    assert {"slot 1", "slot 2"} <= set(said["slots"])
