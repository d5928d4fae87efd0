"""The debugger's tab "Minds" in a real editor, with a real game that speaks the debugger's protocol, and a real server."""

from __future__ import annotations

import json
import os
import shutil
import socket
from pathlib import Path
from typing import Any

import pytest

import npc_server
from tests.godot.conftest import ADDON, user_folder
from tests.godot.display import display
from tests.godot.test_quickstart import run
from tests.godot.test_real_server import REAL

pytestmark = [pytest.mark.godot, pytest.mark.timeout(1200)]

DRIVER, HANDS = Path(__file__).with_name("debugger_tab"), Path(__file__).with_name("minds_dock") / "hands.gd"
TOWN = Path(npc_server.__file__).parent / "data" / "towns" / "millbrook"
PLUGIN = '[plugin]\nname="probe"\ndescription="d"\nauthor="a"\nversion="1"\nscript="plugin.gd"\n'
SETTINGS = """config_version=5
[application]
config/name="Minds"
run/main_scene="res://main.tscn"
[autoload]
NpcServer="*res://addons/npc/npc_server.gd"
[editor_plugins]
enabled=PackedStringArray("res://addons/npc/plugin.cfg", "res://addons/probe/plugin.cfg")
[npc]
save/town="res://people/town.yaml"
save/personas="res://people/personas"
time/scale=600.0
[rendering]
renderer/rendering_method="gl_compatibility"
"""
FULL_SIZE = "interface/editor/display_scale = 2\n"
MAIN = """[gd_scene format=3]
[ext_resource type="Script" path="res://main.gd" id="1"]
[node name="Main" type="Node"]
script = ExtResource("1")
"""
GAME = (
    'extends Node\nfunc _ready() -> void:\n\tNpcServer.start()\n\tNpcServer.say("mara_voss", "Robin", "Good morning! What do you bake?")\n'
)


def make_project(folder: Path) -> Path:
    project = folder / "project"
    shutil.copytree(ADDON, project / "addons" / "npc", ignore=shutil.ignore_patterns("bin", "bridge", "*.gdextension"))
    shutil.copytree(DRIVER, project / "addons" / "probe")
    shutil.copy(HANDS, project / "addons" / "probe")
    (project / "addons" / "probe" / "plugin.cfg").write_text(PLUGIN)
    shutil.copytree(TOWN, project / "people")
    for name, text in {"project.godot": SETTINGS, "main.tscn": MAIN, "main.gd": GAME}.items():
        (project / name).write_text(text)
    return project


def keep_debug_server(project: Path, config: Path) -> int:
    """Lets the editor listen for games that it did not start, on a free port, which is returned."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    for path in (config / "godot" / f"editor_settings-4.{minor}.tres" for minor in range(4, 10)):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'[gd_resource type="EditorSettings" format=3]\n[resource]\nnetwork/debug/remote_port = {port}\n{FULL_SIZE}')
    kept = project / ".godot" / "editor" / "project_metadata.cfg"
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text("[debug_options]\n\nserver_keep_open=true\n")
    return port


def drive(godot: str, folder: Path, what: str) -> dict[str, Any]:
    """What the tab showed. NPC_SCREENSHOT_DOCK names a folder for the pictures."""
    project = make_project(folder)
    with display() as screen:
        env = {**os.environ, **user_folder(folder), **screen, **REAL}
        env |= {"NPC_TEST_PICTURE": os.environ.get("NPC_SCREENSHOT_DOCK", ""), "NPC_TEST_RUN": what}
        start = [godot, "--audio-driver", "Dummy", "--rendering-driver", "opengl3", "--path", str(project)]
        run([*start, "--headless", "--import"], env)
        env["NPC_TEST_PORT"], env["NPC_TEST_GODOT"] = str(keep_debug_server(project, Path(env["XDG_CONFIG_HOME"]))), godot
        said = run([*start, "--editor"], env)
    assert "SCRIPT ERROR" not in said, said
    assert "DRIVER ended" in said, said
    assert "DRIVER waited in vain" not in said, said
    lines: list[Any] = [json.loads(line.removeprefix("SEEN ")) for line in said.splitlines() if line.startswith("SEEN ")]
    return dict(lines)


@pytest.fixture(scope="module")
def seen(godot: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return drive(godot, tmp_path_factory.mktemp("debugger"), "all")


def test_without_a_game_the_tab_says_what_to_do(seen: dict[str, Any]) -> None:
    assert seen["before"] == "Start the game to look into its minds."
    assert seen["after"] == "The game has ended. Start it to look into its minds."


def test_a_running_game_shows_who_does_what_and_why(seen: dict[str, Any]) -> None:
    assert seen["title"] == "default, without a language model"
    assert len(seen["Everybody"]) == 3
    assert any("because: " in row and "decided by instinct" in row for row in seen["Everybody"])
    assert any(" | " in row and "by instinct" in row for row in seen["Mind"]), "no plan"


def test_memories_recall_relations_and_questions_come_through_the_debugger(seen: dict[str, Any]) -> None:
    assert any("importance" in row for row in seen["Memories"])
    assert seen["Recall"], "nothing came to mind"
    assert all("score" in row for row in seen["Recall"])
    assert set(seen["Relations"]) >= {"mara_voss", "tobin_hale", "ines_calder"}
    assert seen["Reflections"]
    assert any("by " in row for row in seen["Questions"])
    assert any("No model is installed. Get one: npc-server setup" in row for row in seen["Questions"])


def test_the_editor_can_only_read(seen: dict[str, Any]) -> None:
    assert "may not call DeleteMemory" in seen["refused"]


def test_nothing_is_asked_while_nobody_sees_the_tab(seen: dict[str, Any]) -> None:
    assert seen["asked while hidden"] == 0


def test_disabling_the_plugin_leaves_no_tab(seen: dict[str, Any]) -> None:
    assert seen["left"] == 0
