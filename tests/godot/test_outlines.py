"""Places and objects are invisible in a game, and have an outline in the editor. It follows what is changed."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.godot.conftest import ADDON, user_folder
from tests.godot.display import display
from tests.godot.test_editor_warnings import AUTOLOAD, PLUGIN, PROJECT, scene
from tests.godot.test_quickstart import run

pytestmark = pytest.mark.godot
NODES = [
    ("Root", "Node2D", None, "", ""),
    (
        "Quay",
        "Node2D",
        ".",
        "place",
        'address = "harbor:quay"\ndisplay_name = "the quay"\nsize = Vector2(400, 240)\nposition = Vector2(80, 60)',
    ),
    ("Market", "Node2D", "Quay", "place", 'address = "harbor:quay:market"\nsize = Vector2(400, 240)\nspots = PackedVector2Array(200, 120)'),
    (
        "Stall",
        "Node2D",
        "Quay/Market",
        "object",
        'address = "harbor:quay:market:stall"\nposition = Vector2(80, 80)\nstand = Vector2(0, 40)',
    ),
]
NODES_3D = [
    ("Root", "Node3D", None, "", ""),
    ("Quay", "Node3D", ".", "place_3d", 'address = "harbor:quay"\nsize = Vector3(3, 2, 3)'),
    (
        "Stall",
        "Node3D",
        "Quay",
        "object_3d",
        'address = "harbor:quay:market:stall"\nposition = Vector3(0.7, 0, -0.4)\nstand = Vector3(0, 0, 1)',
    ),
]
COUNT = """
func count(image: Image) -> Dictionary:
	var found := {"place": 0, "object": 0}
	for y: int in image.get_height():
		for x: int in image.get_width():
			var color := image.get_pixel(x, y)
			if color.s > 0.6 and color.v > 0.5:
				found["place"] += 1 if absf(color.h - 0.487) < 0.03 else 0
				found["object"] += 1 if absf(color.h - 0.103) < 0.03 else 0
	return found


func wait(frames: int) -> void:
	for i: int in frames:
		await get_tree().process_frame
	RenderingServer.force_draw()  # an editor at rest draws nothing


func show(called: String, image: Image) -> void:
	if not OS.get_environment("NPC_TEST_PICTURE").is_empty():
		image.save_png(OS.get_environment("NPC_TEST_PICTURE").path_join(called + ".png"))
	print("SEEN ", JSON.stringify([called, count(image)]))
"""
PROBE = (
    """@tool
extends EditorPlugin


func _enter_tree() -> void:
	look.call_deferred()


func look() -> void:
	var calm := 0
	while calm < 20:
		await get_tree().process_frame
		calm = 0 if EditorInterface.get_resource_filesystem().is_scanning() else calm + 1
	await open("2D", "res://scene.tscn")
	var flat := EditorInterface.get_editor_viewport_2d()
	show("2D", flat.get_texture().get_image())
	get_node_of("Quay").set("rotation", 0.4)
	await wait(5)
	show("2D turned", flat.get_texture().get_image())
	get_node_of("Quay").set("rotation", 0.0)
	await change("size", flat, "Quay/Market", Vector2(300, 120))
	await change("spots", flat, "Quay/Market", PackedVector2Array())
	await change("address", flat, "Quay/Market", "harbor:quay:market_hall")
	await change("display_name", flat, "Quay/Market", "hall")
	await change("stand", flat, "Quay/Market/Stall", Vector2(60, 0))
	await open("3D", "res://scene_3d.tscn")
	var deep := EditorInterface.get_editor_viewport_3d(0)
	show("3D", deep.get_texture().get_image())
	await change("size", deep, "Quay", Vector3(2, 1, 2))
	await change("spots", deep, "Quay", PackedVector3Array([Vector3(0.5, 0, 0.5)]))
	await change("stand", deep, "Quay/Stall", Vector3(-1, 0, 0))
	get_tree().quit()


func open(screen: String, path: String) -> void:
	EditorInterface.open_scene_from_path(path)
	EditorInterface.set_main_screen_editor(screen)
	while EditorInterface.get_edited_scene_root() == null or EditorInterface.get_edited_scene_root().scene_file_path != path:
		await get_tree().process_frame
	await wait(30)


func get_node_of(path: String) -> Node:
	return EditorInterface.get_edited_scene_root().get_node(path)


func change(property: String, viewport: SubViewport, path: String, value: Variant) -> void:
	get_node_of(path).set(property, value)
	await wait(5)
	show("3D " + property if get_node_of(path) is Node3D else "2D " + property, viewport.get_texture().get_image())

"""
    + COUNT
)
GAME = (
    """extends Node


func _ready() -> void:
	for path: String in ["res://scene.tscn", "res://scene_3d.tscn"] as Array[String]:
		var shown := (load(path) as PackedScene).instantiate()
		add_child(shown)
		var camera := Camera3D.new()
		add_child(camera)
		camera.look_at_from_position(Vector3(3, 3, 3), Vector3.ZERO)
		await wait(10)
		show("game " + path.get_file(), get_viewport().get_texture().get_image())
		camera.free()
		shown.free()
	get_tree().quit()

"""
    + COUNT
)


@pytest.fixture(scope="module")
def seen(godot: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, int]]:
    """How many pixels have the colours of places and of objects. NPC_SCREENSHOT_OUTLINES names a folder for the pictures."""
    folder = tmp_path_factory.mktemp("outlines")
    project = make_project(folder)
    found: dict[str, dict[str, int]] = {}
    with display() as screen:
        env = {**os.environ, **user_folder(folder), **screen, "NPC_TEST_PICTURE": os.environ.get("NPC_SCREENSHOT_OUTLINES", "")}
        start = [godot, "--audio-driver", "Dummy", "--rendering-driver", "opengl3", "--path", str(project)]
        for arguments in (["--headless", "--import"], ["--editor"], ["res://game.tscn"]):
            said = run([*start, *arguments], env)
            assert "SCRIPT ERROR" not in said, said
            lines: list[Any] = [json.loads(line.removeprefix("SEEN ")) for line in said.splitlines() if line.startswith("SEEN ")]
            found.update(dict(lines))
    return found


def make_project(folder: Path) -> Path:
    project = folder / "project"
    shutil.copytree(ADDON, project / "addons" / "npc", ignore=shutil.ignore_patterns("bin", "bridge", "*.gdextension"))
    probe = project / "addons" / "probe"
    probe.mkdir()
    (probe / "plugin.cfg").write_text(PLUGIN)
    (probe / "plugin.gd").write_text(PROBE)
    enabled = 'enabled=PackedStringArray("res://addons/npc/plugin.cfg", '
    settings = PROJECT.format(autoload=AUTOLOAD).replace("enabled=PackedStringArray(", enabled)
    (project / "project.godot").write_text(settings + '\n[rendering]\nrenderer/rendering_method="gl_compatibility"\n')
    (project / "scene.tscn").write_text(scene(NODES))
    (project / "scene_3d.tscn").write_text(scene(NODES_3D))
    (project / "game.gd").write_text(GAME)
    game = '[gd_scene format=3]\n[ext_resource type="Script" path="res://game.gd" id="1"]\n[node name="Game" type="Node"]\n'
    (project / "game.tscn").write_text(game + 'script = ExtResource("1")\n')
    return project


def test_editor_shows_places_and_objects_of_2d_and_3d(seen: dict[str, dict[str, int]]) -> None:
    for world in ("2D", "3D"):
        assert seen[world]["place"] > 300, seen
        assert seen[world]["object"] > 30, seen


@pytest.mark.parametrize(
    ("before", "after", "what"),
    [
        ("2D", "2D size", "place"),
        ("2D size", "2D spots", "place"),
        ("2D spots", "2D address", "place"),
        ("2D address", "2D display_name", "place"),
        ("2D display_name", "2D stand", "object"),
        ("3D", "3D size", "place"),
        ("3D size", "3D spots", "place"),
        ("3D spots", "3D stand", "object"),
    ],
)
def test_outlines_follow_what_is_changed(seen: dict[str, dict[str, int]], before: str, after: str, what: str) -> None:
    assert seen[before][what] != seen[after][what], seen


def test_places_of_2d_stay_upright_as_they_do_in_the_game(seen: dict[str, dict[str, int]]) -> None:
    assert abs(seen["2D"]["place"] - seen["2D turned"]["place"]) < 60, seen


def test_a_running_game_draws_nothing_of_it(seen: dict[str, dict[str, int]]) -> None:
    nothing = {"place": 0, "object": 0}
    assert (seen["game scene.tscn"], seen["game scene_3d.tscn"]) == (nothing, nothing)
