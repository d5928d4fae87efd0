"""The dock "Minds" and the inspector in a real editor, used with the mouse and the keyboard."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import npc_server
from npc_server.memory import database, memories
from tests.godot.conftest import ADDON, PROJECT, user_folder
from tests.godot.display import display
from tests.godot.importing import import_project
from tests.godot.test_editor_warnings import scene
from tests.godot.test_quickstart import run
from tests.personas.cards import made
from tests.waiting import LIMIT_S

pytestmark = [pytest.mark.godot, pytest.mark.timeout(1200)]

SERVER = f"{Path(sys.executable).parent / 'npc-server'}"
DRIVER = Path(__file__).with_name("minds_dock")
TOWN = Path(npc_server.__file__).parent / "data" / "towns" / "millbrook"
PLUGIN = '[plugin]\nname="probe"\ndescription="d"\nauthor="a"\nversion="1"\nscript="{script}"\n'
SETTINGS = """config_version=5
[application]
config/name="Minds"
[autoload]
NpcServer="*res://addons/npc/npc_server.gd"
[editor_plugins]
enabled=PackedStringArray("res://addons/npc/plugin.cfg", "res://addons/probe/plugin.cfg")
[npc]
save/town="res://people/town.yaml"
save/personas="res://people/personas"
[rendering]
renderer/rendering_method="gl_compatibility"
"""
GAME = """extends Node2D
func _ready() -> void:
	var agent := get_node("AdaFinch/NpcAgent") as NpcAgent
	agent.spoke.connect(func(text: String, _to: PackedStringArray, partial: bool) -> void: _hear(text, partial))
	NpcServer.start()
	await get_tree().create_timer(5.0).timeout
	NpcServer.say("ada_finch", "Robin", "Good morning! What do you know of the mill?")
func _hear(text: String, partial: bool) -> void:
	if not partial:
		print("HEARD ", text)
		get_tree().quit()
"""
MAIN = """[gd_scene format=3]
[ext_resource type="Script" path="res://main.gd" id="1"]
[node name="Main" type="Node2D"]
script = ExtResource("1")
"""
NODES = [
    ("Root", "Node2D", None, "", ""),
    ("Cafe", "Node2D", ".", "place", 'address = "millbrook:cafe"\nposition = Vector2(544, 96)\nsize = Vector2(448, 352)'),
    ("Shpo", "Node2D", ".", "place", 'address = "millbrook:shpo"'),
    ("Body", "CharacterBody2D", ".", "", ""),
    ("Agent", "Node", "Body", "agent", 'persona_id = "mara_vos"'),
]


def make_project(folder: Path, script: str = "plugin.gd") -> Path:
    project = folder / "project"
    shutil.copytree(ADDON, project / "addons" / "npc", ignore=shutil.ignore_patterns("bin", "bridge", "*.gdextension"))
    shutil.copytree(DRIVER, project / "addons" / "probe")
    (project / "addons" / "probe" / "plugin.cfg").write_text(PLUGIN.format(script=script))
    shutil.copytree(TOWN, project / "people")
    shutil.copy(PROJECT / "addons" / "npc" / "icon.png", project / "card.png")
    (project / "guest.yaml").write_text("name: Guest\nage: 20\nidentity: Guest travels.\nhome: tobin_house:bedroom:bed\n")
    (project / "project.godot").write_text(SETTINGS)
    (project / "scene.tscn").write_text(scene(NODES))
    (project / "body_3d.tscn").write_text('[gd_scene format=3]\n[node name="Root" type="Node3D"]\n')
    return project


def make_empty_project(folder: Path) -> Path:
    """A project with nobody in it, and no town. Its scene says something to Ada as soon as the game begins."""
    project = make_project(folder)
    shutil.rmtree(project / "people")
    (project / "project.godot").write_text(re.sub(r"^save/.*\n", "", SETTINGS, flags=re.MULTILINE))
    (project / "main.gd").write_text(GAME)
    (project / "main.tscn").write_text(MAIN)
    return project


def drive(godot: str, project: Path, what: str, **more: str) -> dict[str, Any]:
    """What an editor said. NPC_SCREENSHOT_DOCK names a folder for the pictures."""
    folder = project.parent
    with display() as screen:
        env = {**os.environ, **user_folder(folder), **screen, "NPC_SERVER_COMMAND": SERVER, "NPC_TEST_RUN": what, **more}
        env["NPC_TEST_PICTURE"] = os.environ.get("NPC_SCREENSHOT_DOCK", "")
        start = [godot, "--audio-driver", "Dummy", "--rendering-driver", "opengl3", "--path", str(project)]
        import_project(godot, project, env)
        said = run([*start, "--editor"], env)
    assert "SCRIPT ERROR" not in said, said
    assert "DRIVER ended" in said, said
    assert "waited in vain" not in said, said
    lines: list[Any] = [json.loads(line.removeprefix("SEEN ")) for line in said.splitlines() if line.startswith("SEEN ")]
    return dict(lines)


@pytest.fixture(scope="module")
def seen(godot: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return drive(godot, make_project(tmp_path_factory.mktemp("minds")), "all")


def test_people_are_listed_and_a_broken_file_shows_its_mistake_and_opens_at_the_line(seen: dict[str, Any]) -> None:
    assert seen["rows"] == [["ines_calder", []], ["mara_voss", []], ["tobin_hale", []]]
    assert seen["broken"] == ["Line 9: 'age' is 'old' where a whole number belongs. Write e.g. 34."]
    assert seen["opened"] == "age: old"
    assert seen["mended"] == seen["rows"]


def test_the_form_makes_a_person_whose_file_has_no_mistake(seen: dict[str, Any]) -> None:
    assert seen["form at first"] == ["Give the person a name.", True]
    assert seen["form with an unknown place"] == ["The town file has no 'cafee'. Choose one from the list.", True]
    assert seen["form when filled"] == ["", False]
    text, problems = seen["made"]
    assert text == (
        'name: "Ada \\"Finch\\": Smith"\nage: 30\ntraits: ["shy", "warm"]\nidentity: "Ada \\"Finch\\": Smith lives in Millbrook."\n'
        'home: "tobin_house:bedroom:bed"\nwork: "cafe:kitchen"\n'
    )
    (problem,) = problems
    assert "cannot enter this home: Tobin's house is for tobin_hale only" in problem


def test_a_copy_has_a_name_and_an_id_of_its_own(seen: dict[str, Any]) -> None:
    copy, original = seen["copied"]
    assert 'id: odo_hale\nname: "Odo Hale"\n' in copy
    assert "id: tobin_hale\n" in original


def test_files_can_be_dropped_and_a_card_that_is_none_is_told(seen: dict[str, Any]) -> None:
    assert seen["can drop"] == [True, False]
    assert seen["import yaml"] == ["", True]
    assert seen["import png"][0].startswith("card.png was not imported. ")


@pytest.mark.parametrize(("kind", "cell"), [("2D", 32), ("3D", 1)])
def test_nodes_of_a_town_and_back_are_equal_and_undo_gives_the_scene_back(seen: dict[str, Any], kind: str, cell: int) -> None:
    assert seen[f"{kind} nodes"] == 80
    assert seen[f"{kind} undone"] == 0
    assert seen[f"{kind} done again"] == [True, True]
    assert seen[f"{kind} cell"] == cell
    assert f"Wrote res://people/written_{kind.lower()}.yaml. Undo takes it back." in seen[f"{kind} written"]
    assert seen[f"{kind} problems"] == []
    assert seen[f"{kind} equal"], seen.get(f"{kind} differs")
    assert seen[f"{kind} file undone"] == [False, f"res://people/written_{kind.lower()}.yaml"]


def test_the_town_says_what_the_scene_lacks_and_what_it_does_not_know(seen: dict[str, Any]) -> None:
    assert seen["summary"] == "This scene lacks 79 of 80 places and objects. The town does not know 1 of its nodes."


def test_the_inspector_lets_one_choose_and_says_what_is_unknown(seen: dict[str, Any]) -> None:
    assert seen["unknown person"].startswith("No persona file has the id 'mara_vos'. Did you mean 'mara_voss'?")
    assert seen["chosen person"] == ["mara_voss", ""]
    assert seen["person undone"] == "mara_vos"
    assert seen["unknown place"].startswith("The town file has no 'shpo'. Did you mean 'shop'?")
    assert seen["typed place"] == "x"
    assert seen["typed short place"] == ["cafe", "millbrook:cafe", "millbrook:cafe"]
    assert seen["places to choose"] == [28, True, False]


def test_disabling_the_plugin_leaves_nothing(seen: dict[str, Any]) -> None:
    assert seen["left"] == []
    assert seen["setting left"] is False
    assert seen["drops"] == 0
    assert seen["enabled again"] > 0


def test_without_a_server_the_dock_says_so_and_finds_it_later(godot: str, tmp_path: Path) -> None:
    seen = drive(godot, make_project(tmp_path), "alone", NPC_SERVER_COMMAND="/nowhere/npc-server", NPC_TEST_SERVER=SERVER)
    assert seen["rows"] == [["ines_calder", []], ["mara_voss", []], ["tobin_hale", []]]
    assert "there is no npc-server" in seen["said"]
    assert "there is none" in seen["import"]
    assert seen["rows with a server"] == seen["rows"]


NO_MODEL = {"NPC_SERVER_ENGINE__MODEL": "none", "NPC_SERVER_ENGINE__EMBEDDING_MODEL": "none"}
SAVES = Path("data", "godot", "app_userdata", "Minds", "npc_saves")
KING = "The old king is ill."


def make_save(folder: Path) -> Path:
    """A save of an hour in Millbrook, where the project's game keeps its saves."""
    save = folder / SAVES / "one.npcsave"
    save.parent.mkdir(parents=True)
    command = [SERVER, "demo", "--terminal", "--fast", "--days", "0.05", "--save", str(save)]
    env = {**os.environ, **user_folder(folder), **NO_MODEL}
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return save


@pytest.fixture(scope="module")
def clicked(godot: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What came of an editor that was used with the mouse, and in the end what the people of its save remember."""
    folder = tmp_path_factory.mktemp("mouse")
    save = make_save(folder)
    cards = {"v2.json": made.raw(made.v2()), "v3.png": made.in_png(("ccv3", made.v3(name="Beth Lark")))}
    for name, body in cards.items():
        (folder / name).write_bytes(body)
    project = make_project(folder, "by_mouse.gd")
    found = drive(godot, project, "mouse", NPC_TEST_CARDS=":".join(str(folder / name) for name in cards), **NO_MODEL)
    found["personas"] = {path.name: path.read_text(encoding="utf-8") for path in (folder / "project/people/personas").glob("*.yaml")}
    with database.reading(save) as db:
        found["held"] = {npc: [it.text for it in memories.load(db, npc)] for npc in ("ines_calder", "mara_voss", "tobin_hale")}
    return found


def test_a_person_is_made_and_copied_with_the_mouse(clicked: dict[str, Any]) -> None:
    assert clicked["form open"] == ["New Person", True]
    offered, chosen, is_open = clicked["home"]
    assert (offered, is_open) == (chosen, False)
    assert clicked["made"].startswith('name: "Nora Pike"\n')
    assert f'home: "{chosen.removeprefix("millbrook:")}"' in clicked["made"]
    assert 'id: odo_hale\nname: "Odo Hale"\n' in clicked["copied"]
    assert clicked["cancelled"] is False


def test_cards_of_both_versions_are_imported_with_the_mouse(clicked: dict[str, Any]) -> None:
    assert "ada_finch" in clicked["import v2.json"][1]
    assert {"ada_finch", "beth_lark"} <= set(clicked["import v3.png"][1])
    assert "Ada mends clocks in Millbrook" in clicked["personas"]["ada_finch.yaml"]
    assert 'name: "Beth Lark"' in clicked["personas"]["beth_lark.yaml"]


def test_a_memory_is_added_edited_and_deleted_with_the_mouse(clicked: dict[str, Any]) -> None:
    names = {"Ines Calder": "ines_calder", "Mara Voss": "mara_voss", "Tobin Hale": "tobin_hale"}
    npc = names[clicked["first"][0]]
    assert clicked["first"][1], "a memory can be edited that nobody has chosen"
    assert clicked["empty memory"]
    assert f"{npc} has memory" in clicked["added"]
    assert clicked["edited at first"][1] == "The old king is dead."
    assert clicked["edited"][1]
    victim, said, is_gone = clicked["deleted"]
    assert victim in clicked["question"]
    assert (said.startswith("Deleted memory"), is_gone) == (True, True)
    assert KING in clicked["held"][npc]
    assert victim not in clicked["held"][npc]
    assert not any(KING in texts for other, texts in clicked["held"].items() if other != npc)


def test_a_person_of_a_project_without_a_town_answers_in_a_talk_and_in_the_game(godot: str, tmp_path: Path) -> None:
    project = make_empty_project(tmp_path)
    seen = drive(godot, project, "empty")
    assert seen["slot"], "the dock hides the Inspector"
    assert seen["form"] == ["", False, True]
    text, problems = seen["made"]
    assert text == (
        'name: "Ada Finch"\nage: 71\nidentity: "Ada Finch lives in this town."\n'
        'currently: "Ada has heard that the mill is for sale."\n'
        "# Nothing says where Ada lives, so this is made up: write the address of a bed or a room of your town.\n"
        'home: "ada_finch_house:bedroom:bed"\nvoice:\n  style: "Few words."\n'
    )
    assert problems == []
    assert seen["age of the next"] == 30
    env = {**os.environ, **user_folder(tmp_path), "NPC_SERVER_COMMAND": SERVER, "NPC_SERVER_ENGINE__MODEL": "none"}
    talk = [SERVER, "talk", str(project / "people" / "personas" / "ada_finch.yaml")]
    told = subprocess.run(talk, input="Good morning!\n", env=env, capture_output=True, text=True, timeout=300, check=True).stdout
    assert re.search(r"^Ada: \w", told, re.MULTILINE), told
    said = run([godot, "--headless", "--path", str(project), "res://main.tscn", "--quit-after", "4000"], env)
    assert re.search(r"^HEARD \w", said, re.MULTILINE), said


def test_a_person_without_a_body_is_added_to_a_scene_of_2d_and_of_3d_with_undo(seen: dict[str, Any]) -> None:
    shown, hint = seen["lacks ines_calder"]
    assert (shown, "has no body in the open scene" in hint) == (True, True)
    assert seen["menu"] == "Add to Scene"
    in_2d = [["CollisionShape2D", True], "CircleShape2D", ["Node", True], "ines_calder"]
    in_3d = [["CollisionShape3D", True], "CapsuleShape3D", ["Node", True], "tobin_hale"]
    for npc, kind, parts in (("ines_calder", "CharacterBody2D", in_2d), ("tobin_hale", "CharacterBody3D", in_3d)):
        is_, owned, _, *found = seen[f"body of {npc}"]
        assert (is_, owned, found) == (kind, True, parts)
        assert seen[f"button of {npc}"] is False
        assert seen[f"undone {npc}"] == [[], True]
        assert seen[f"redone {npc}"] == seen[f"body of {npc}"]


@pytest.mark.parametrize("kind", ["2D", "3D"])
def test_a_new_body_stands_beside_its_bed(seen: dict[str, Any], kind: str) -> None:
    spot, body = seen[f"at home in {kind}"]
    assert body == spot


def test_only_beds_and_rooms_are_homes(seen: dict[str, Any]) -> None:
    assert "tobin_house:bedroom:bed" in seen["homes"]
    assert "tobin_house:bedroom" in seen["homes"]
    assert not {"millbrook", "mill", "cafe", "cafe:kitchen:stove"} & set(seen["homes"])
