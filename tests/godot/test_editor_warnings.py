"""What a real editor says of nodes that cannot work: the yellow triangles of its scene tree."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.godot.conftest import ADDON, user_folder
from tests.godot.importing import import_project
from tests.waiting import LIMIT_S

pytestmark = pytest.mark.godot

PROJECT = """config_version=5
[application]
config/name="warnings"
{autoload}
[editor_plugins]
enabled=PackedStringArray("res://addons/probe/plugin.cfg")
"""
AUTOLOAD = '[autoload]\nNpcServer="*res://addons/npc/npc_server.gd"\n'
PLUGIN = '[plugin]\nname="probe"\ndescription="d"\nauthor="a"\nversion="1"\nscript="plugin.gd"\n'
PROBE = """@tool
extends EditorPlugin


var again := {}


func _enter_tree() -> void:
	look.call_deferred()


func look() -> void:
	var calm := 0
	while calm < 20:
		await get_tree().process_frame
		calm = 0 if EditorInterface.get_resource_filesystem().is_scanning() else calm + 1
	EditorInterface.open_scene_from_path("res://scene.tscn")
	while EditorInterface.get_edited_scene_root() == null:
		await get_tree().process_frame
	for i: int in 10:
		await get_tree().process_frame
	var root := EditorInterface.get_edited_scene_root()
	var found := {}
	for node: Node in root.find_children("*", "", true, false):
		if node.has_method("_get_configuration_warnings"):
			found[str(node.name)] = Array(node.call("_get_configuration_warnings"))
	var kitchen := root.get_node_or_null("Kitchen")
	if kitchen != null:
		kitchen.set("address", "town:kitchen")
		found["Kitchen, mended"] = Array(kitchen.call("_get_configuration_warnings"))
	var lost := root.find_child("Lost")
	if lost != null:
		get_tree().node_configuration_warning_changed.connect(func(node: Node) -> void: again[node.name] = true)
		var ground := NavigationRegion2D.new()
		root.add_child(ground)
		await get_tree().process_frame
		found["Lost, mended"] = Array(lost.call("_get_configuration_warnings"))
		found["drawn again"] = again.keys()
		again.clear()
		root.remove_child(ground)
		await get_tree().process_frame
		found["drawn once more"] = again.keys()
		ground.free()
	print("WARNINGS ", JSON.stringify(found))
	get_tree().quit()
"""
SCRIPTS = ("agent", "place", "object", "place_3d", "object_3d")
NODES = [
    # name, type, parent, script, properties
    ("Root", "Node2D", None, "", ""),
    ("Town", "Node2D", ".", "place", 'address = "town"'),
    ("Kitchen", "Node2D", ".", "place", 'address = "town:house:kitchen"'),
    ("ShopOne", "Node2D", ".", "place", 'address = "town:shop"'),
    ("ShopTwo", "Node2D", ".", "place", 'address = "town:shop"'),
    ("Nameless", "Node2D", ".", "place", ""),
    ("Stove", "Node2D", ".", "object", 'address = "twon:shop:stove"'),
    ("Counter", "Node2D", ".", "object", 'address = "town:shop:counter"'),
    ("Thing", "Node2D", ".", "object", ""),
    ("Body", "CharacterBody2D", ".", "", ""),
    ("Good", "Node", "Body", "agent", 'persona_id = "mara"'),
    ("Nobody", "Node", "Body", "agent", ""),
    ("Double", "Node", "Body", "agent", 'persona_id = "mara"'),
    ("World", "Node3D", ".", "", ""),
    ("Deep", "Node", "World", "agent", 'persona_id = "tobin"'),
    ("Plain", "Node", ".", "", ""),
    ("Bodiless", "Node", "Plain", "agent", 'persona_id = "ines"'),
    ("Ground", "NavigationRegion2D", ".", "", ""),
]


ROOMS_ONLY = [
    ("Root", "Node2D", None, "", ""),
    ("Kitchen", "Node2D", ".", "place", 'address = "town:inn:kitchen"'),
    ("Market", "Node2D", ".", "place", 'address = "town:quay:market"'),
    ("Loft", "Node2D", ".", "place", 'address = "town:quay:loft"'),
    ("Typo", "Node2D", ".", "place", 'address = "twon:quay:shed"'),
    ("Stall", "Node2D", ".", "object", 'address = "town:quay:market:stall"'),
]


NODES_3D = [
    ("Root", "Node3D", None, "", ""),
    ("Town", "Node3D", ".", "place_3d", 'address = "town"'),
    ("Kitchen", "Node3D", ".", "place_3d", 'address = "town:house:kitchen"'),
    ("Shop", "Node3D", ".", "place_3d", 'address = "town:shop"'),
    ("Counter", "Node3D", ".", "object_3d", 'address = "town:shop:counter"'),
    ("CounterTwo", "Node3D", ".", "object_3d", 'address = "town:shop:counter"'),
    ("Map", "Node2D", ".", "place", 'address = "town:map"'),
    ("Sign", "Node2D", ".", "object", 'address = "town:shop:sign"'),
    ("Nameless", "Node3D", ".", "object_3d", ""),
    ("Body", "CharacterBody3D", ".", "", ""),
    ("Good", "Node", "Body", "agent", 'persona_id = "mara"'),
    ("Fast", "Node", "Body", "agent", 'persona_id = "ines"\nwalk_speed = 80.0'),
    ("Ground", "NavigationRegion3D", ".", "", ""),
]


NO_MAP = [
    ("Root", "Node2D", None, "", ""),
    ("Kitchen", "Node2D", ".", "place", 'address = "town"'),
    ("Tiles", "TileMapLayer", ".", "", "navigation_enabled = false"),
    ("Body", "CharacterBody2D", ".", "", ""),
    ("Lost", "Node", "Body", "agent", 'persona_id = "mara"'),
    ("Hall", "Node3D", ".", "place_3d", 'address = "town:hall"'),
    ("Deep", "CharacterBody3D", ".", "", ""),
    ("Lost3D", "Node", "Deep", "agent", 'persona_id = "ines"'),
]
ONE_CHARACTER = [
    ("Root", "CharacterBody2D", None, "", ""),
    ("Mara", "Node", ".", "agent", 'persona_id = "mara"'),
]


def scene(nodes: list[tuple[str, str, str | None, str, str]]) -> str:
    lines = ["[gd_scene format=3]"]
    lines += [f'[ext_resource type="Script" path="res://addons/npc/npc_{name}.gd" id="{name}"]' for name in SCRIPTS]
    for name, kind, parent, script, properties in nodes:
        lines.append(f'[node name="{name}" type="{kind}"' + (f' parent="{parent}"]' if parent else "]"))
        lines += [f'script = ExtResource("{script}")'] if script else []
        lines += [properties] if properties else []
    return "\n".join(lines) + "\n"


def ask_editor(godot: str, folder: Path, autoload: str, nodes: list[tuple[str, str, str | None, str, str]]) -> dict[str, list[str]]:
    project = folder / "project"
    shutil.copytree(ADDON, project / "addons" / "npc", ignore=shutil.ignore_patterns("bin", "bridge", "*.gdextension"))
    probe = project / "addons" / "probe"
    probe.mkdir()
    (probe / "plugin.cfg").write_text(PLUGIN)
    (probe / "plugin.gd").write_text(PROBE)
    (project / "project.godot").write_text(PROJECT.format(autoload=autoload))
    (project / "scene.tscn").write_text(scene(nodes))
    env = {**os.environ, **user_folder(folder)}
    import_project(godot, project, env)
    command = [godot, "--headless", "--editor", "--path", str(project)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False, env=env)
    said = done.stdout + done.stderr
    assert "SCRIPT ERROR" not in said, said
    lines = [line for line in said.splitlines() if line.startswith("WARNINGS ")]
    assert lines, said
    found: dict[str, list[str]] = json.loads(lines[0].removeprefix("WARNINGS "))
    return found


def test_editor_says_what_is_wrong_with_a_node_and_nothing_of_good_ones(godot: str, tmp_path: Path) -> None:
    found = ask_editor(godot, tmp_path, AUTOLOAD, NODES)
    assert {name for name, warnings in found.items() if not warnings} == {"Town", "Counter", "Kitchen, mended"}
    assert all(len(warnings) <= 1 for warnings in found.values()), found
    said = {name: warnings[0] for name, warnings in found.items() if warnings}
    assert "is in 'town:house', but no NpcPlace of this scene has that address" in said["Kitchen"]
    assert "is the address of 'ShopTwo', too" in said["ShopOne"]
    assert "is the address of 'ShopOne', too" in said["ShopTwo"]
    assert "It has no address" in said["Nameless"]
    assert "is in 'twon:shop'" in said["Stove"]
    assert "It has no address" in said["Thing"]
    assert "It has no persona" in said["Nobody"]
    assert "is the persona of 'Double', too" in said["Good"]
    assert "'World' is a Node3D, but all places here are 2D. Use NpcPlace3D and NpcObject3D." in said["Deep"]
    assert "needs a Node2D or Node3D as its parent" in said["Bodiless"]


def test_rooms_of_several_buildings_need_no_building(godot: str, tmp_path: Path) -> None:
    found = ask_editor(godot, tmp_path, AUTOLOAD, ROOMS_ONLY)
    assert {name for name, warnings in found.items() if warnings} == {"Typo"}


def test_editor_says_what_is_wrong_in_a_3d_scene(godot: str, tmp_path: Path) -> None:
    found = ask_editor(godot, tmp_path, AUTOLOAD, NODES_3D)
    assert {name for name, warnings in found.items() if not warnings} == {"Town", "Shop", "Good", "Kitchen, mended"}
    assert all(len(warnings) <= 1 for warnings in found.values()), found
    said = {name: warnings[0] for name, warnings in found.items() if warnings}
    assert "is in 'town:house', but no NpcPlace of this scene has that address" in said["Kitchen"]
    assert "is the address of 'CounterTwo', too" in said["Counter"]
    assert "It is a Node2D, but the bodies here, such as 'Body', are 3D. Use NpcPlace3D and NpcObject3D." in said["Map"]
    assert "but the bodies here, such as 'Body', are 3D" in said["Sign"]
    assert "It has no address" in said["Nameless"]
    assert "walk_speed is in metres per second" in said["Fast"]


def test_editor_says_that_a_scene_with_places_has_no_navigation(godot: str, tmp_path: Path) -> None:
    found = ask_editor(godot, tmp_path, AUTOLOAD, NO_MAP)
    (lost,), (lost_3d,) = found["Lost"], found["Lost3D"]
    assert lost.startswith("This scene has no NavigationRegion2D, and no TileMapLayer with navigation, so nobody can walk.")
    assert lost_3d.startswith("This scene has no NavigationRegion3D, and no GridMap with navigation, so nobody can walk.")
    assert found["Lost, mended"] == []
    assert "Lost" in found["drawn again"], "the triangle stayed when the region was there"
    assert "Lost" in found["drawn once more"], "there was no triangle when the region was gone"


def test_the_scene_of_a_single_character_needs_no_navigation(godot: str, tmp_path: Path) -> None:
    assert ask_editor(godot, tmp_path, AUTOLOAD, ONE_CHARACTER)["Mara"] == []


def test_editor_says_that_the_plugin_is_not_enabled(godot: str, tmp_path: Path) -> None:
    found = ask_editor(godot, tmp_path, "", NODES)
    assert all("Enable the plugin" in warnings[0] for warnings in found.values()), found
