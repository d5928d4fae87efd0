"""The recipes of docs/recipes.md, each played as a scene in a project of its own by the real server without a model.

A recipe for somebody else's addon plays with a stand-in for it, which has the few public classes that the recipe uses. With
NPC_RECIPE_ADDONS=FOLDER, a folder with addons such as `beehave`, it plays with the addon itself, too.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.godot.conftest import PROJECT, RunCase, copy_addon, user_folder
from tests.godot.test_real_server import REAL
from tests.waiting import LIMIT_S

pytestmark = [pytest.mark.godot, pytest.mark.usefixtures("transport")]
HERE = Path(__file__).with_name("recipes")
ADDONS = "NPC_RECIPE_ADDONS"
"""Names a folder with addons of others: beehave, dialogue_manager, limboai, quest_system."""
Play = Callable[..., dict[str, Any]]
AUTOLOADS = {
    "dialogue_manager": {"DialogueManager": "res://addons/dialogue_manager/dialogue_manager.gd"},
    "beehave": {
        "BeehaveGlobalMetrics": "res://addons/beehave/metrics/beehave_global_metrics.gd",
        "BeehaveGlobalDebugger": "res://addons/beehave/debug/global_debugger.gd",
    },
    "quest_system": {"QuestSystem": "res://addons/quest_system/quest_manager.gd"},
}
"""What each addon adds to the project when it is enabled."""
SETTINGS = """config_version=5

[application]
config/name="Recipe"
run/main_scene="res://main.tscn"
config/features=PackedStringArray("4.4")

[autoload]
NpcServer="*res://addons/npc/npc_server.gd"
{autoloads}

[debug]
gdscript/warnings/untyped_declaration=2

[display]
window/size/viewport_width=1280
window/size/viewport_height=720
"""
SCENE = """[gd_scene load_steps=2 format=3]

[ext_resource type="Script" path="res://play.gd" id="1"]

[node name="Play" type="Node"]
script = ExtResource("1")
"""


def make_project(folder: Path, addon: str = "", with_stand_ins: bool = True) -> Path:
    """A project with all recipes, the real `addon` of NPC_RECIPE_ADDONS, and stand-ins for the others."""
    project = folder / "game"
    shutil.copytree(PROJECT / "recipes", project / "recipes")
    for script in HERE.glob("*.gd"):
        shutil.copy(script, project)
    copy_addon(project)
    autoloads: dict[str, str] = {}
    if addon:
        shutil.copytree(Path(os.environ[ADDONS]) / addon, project / "addons" / addon)
        list_extensions(project, addon)
        autoloads = AUTOLOADS.get(addon, {})
    if with_stand_ins:
        for stand_in in (HERE / "stand_ins").iterdir():
            if stand_in.name != addon:
                shutil.copytree(stand_in, project, dirs_exist_ok=True)
        autoloads = {**AUTOLOADS["dialogue_manager"], **autoloads}
    lines = "\n".join(f'{name}="*{path}"' for name, path in autoloads.items())
    (project / "project.godot").write_text(SETTINGS.format(autoloads=lines))
    (project / "main.tscn").write_text(SCENE)
    return project


def list_extensions(project: Path, addon: str) -> None:
    """Names an addon's libraries where Godot looks for them. One that finds a new library while it imports crashes at its end."""
    found = sorted((project / "addons" / addon).rglob("*.gdextension"))
    if found:
        (project / ".godot").mkdir(exist_ok=True)
        with (project / ".godot" / "extension_list.cfg").open("a", encoding="utf-8") as listed:
            listed.writelines(f"res://{path.relative_to(project).as_posix()}\n" for path in found)


@pytest.fixture(scope="module")
def made() -> dict[str, Path]:
    """The projects that were imported, by transport and addon."""
    return {}


@pytest.fixture
def project_with(
    godot: str, tmp_path: Path, transport: str, made: dict[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Path]:
    """The project for recipes that is made and imported once, and one for each real addon."""

    def find(addon: str) -> Path:
        called = f"{transport} {addon}"
        if called not in made:
            made[called] = make_project(tmp_path_factory.mktemp("recipes"), addon)
            run(godot, made[called], tmp_path, ["--headless", "--import"])
        return made[called]

    return find


def run(godot: str, project: Path, folder: Path, arguments: Sequence[str]) -> str:
    """What Godot printed. A script that does not parse fails the test."""
    env = {**os.environ, **user_folder(folder), **REAL}
    command = [godot, "--path", str(project), *arguments]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    output = done.stdout + done.stderr
    assert "SCRIPT ERROR" not in output, output
    return output


@pytest.fixture
def play(godot: str, tmp_path: Path, project_with: Callable[[str], Path]) -> Play:
    """Plays a recipe with the real addon of that name or, where it is empty, the stand-in, and returns what came of it."""

    def play(recipe: str, addon: str = "") -> dict[str, Any]:
        output = run(godot, project_with(addon), tmp_path, ["--headless", "--", recipe])
        found: dict[str, Any] = json.loads(next(line[7:] for line in output.splitlines() if line.startswith("RESULT ")))
        assert "stuck" not in found, found
        assert found["failures"] == []
        return found

    return play


def need(addon: str) -> str:
    """Skips the test where the addon itself is not at hand."""
    folder = os.environ.get(ADDONS, "")
    if not folder or not (Path(folder) / addon).is_dir():
        pytest.skip(f"Unpack the addon {addon} into a folder, and name that folder in {ADDONS}, to play the recipe with it.")
    return addon


def check_walks(said: dict[str, Any]) -> None:
    assert ["gerda", "fernhill:inn:taproom:counter", "fernhill:inn:taproom"] in said["arrived"]
    assert ["piet", "fernhill:inn:yard:well", "fernhill:inn:yard"] in said["arrived"]
    assert ["piet", "fernhill:inn:taproom:table", "fernhill:inn:taproom"] in said["arrived"]


def test_people_walk_on_the_navigation_of_a_map(play: Play) -> None:
    check_walks(play("tile_map"))


def test_people_walk_on_a_mesh_that_is_baked_from_a_grid_map(play: Play) -> None:
    said = play("grid_map")
    check_walks(said)
    lowest, highest = said["heights"]
    assert -0.2 < lowest <= highest < 0.3, "somebody falls, or stands on a wall"
    assert said["in_walls"] == 0
    assert (said["way_out"], said["way_out_of_walls"]) == (True, False), "the mesh does not come from the cells"


def check_tree(said: dict[str, Any]) -> None:
    assert said["way"] == "fernhill:inn:yard:well", "others do not see where the tree leads him"
    assert "water" in said["does"]
    assert said["at_the_well"] < 40.0, "he does it from afar"
    assert said["over"]
    assert said["remembers"], "the mind does not hear why the tree gave up"
    assert [reason for npc, _, reason in said["not_done"] if npc == "piet"] == ["the table wobbles"]


@pytest.mark.parametrize("recipe", ["beehave", "limboai"])
def test_the_mind_decides_and_a_tree_moves(play: Play, recipe: str) -> None:
    check_tree(play(recipe))


def test_the_mind_decides_and_limboai_itself_moves(play: Play) -> None:
    check_tree(play("limboai", need("limboai")))


def test_the_mind_decides_and_beehave_itself_moves(play: Play) -> None:
    check_tree(play("beehave", need("beehave")))


def check_dialogue(said: dict[str, Any]) -> None:
    assert said["busy"], "others come up in the written scene"
    assert "Fern and Kettle" in said["free"]
    assert said["seen"] == [
        "Welcome to the Fern and Kettle. Sit where you like.",
        "free talk",
        said["free"],
        "written again",
        said["run time"],
        "The ale waits for nobody. Until later!",
        "the end",
    ]
    assert "Fern and Kettle" in said["run time"], "the line at run time is not what the mind said"
    assert said["free again"]
    assert said["remembers"]


def test_a_written_scene_hands_over_to_free_talk_and_back(play: Play) -> None:
    check_dialogue(play("dialogue_manager"))


def test_a_scene_of_dialogue_manager_itself_hands_over_and_back(play: Play) -> None:
    check_dialogue(play("dialogue_manager", need("dialogue_manager")))


def check_quest(said: dict[str, Any]) -> None:
    assert "wood" in said["offer"]
    assert said["changes"] == ["accepted", "reached", "completed"], "a quest that is done was given again"
    assert "Robin has promised" not in said["memories"], "she remembers two things of one quest"
    assert "firewood" not in said["before"]
    assert "firewood" in said["after"], "the end of the quest changes nothing of what she says"


def test_an_offer_becomes_a_quest_and_its_end_a_memory(play: Play) -> None:
    said = play("quests")
    assert "Quests" in said["system"]
    check_quest(said)


def test_an_offer_becomes_a_quest_of_quest_system(play: Play) -> None:
    said = play("quests", need("quest_system"))
    assert said["system"] == "/root/QuestSystem"
    check_quest(said)


def test_without_its_addon_a_recipe_opens_and_says_what_to_install(godot: str, tmp_path: Path) -> None:
    project = make_project(tmp_path, with_stand_ins=False)
    run(godot, project, tmp_path, ["--headless", "--import"])
    for recipe in ("dialogue_manager", "beehave", "limboai"):
        run(godot, project, tmp_path, ["--headless", "--quit-after", "20", f"res://recipes/{recipe}/{recipe}.tscn"])


def test_an_action_is_done_by_other_hands_than_its_agent(run_case: RunCase) -> None:
    ran = run_case("task", "--no-server")
    assert ran.code == 0, ran.output
    assert "SCRIPT ERROR" not in ran.output, ran.output
    said = ran.result
    assert said["stands"], "the agent itself moves the body"
    assert said["on_the_way"] == ["is on the way", True, True]
    assert said["arrives"] == [True, "on", True]
    assert said["ended"] == [False, "off", True]
    assert said["replaced"] == [False, False, True]
    assert said["failed"] == [False, True]
    assert not said["refused"]
    assert said["nowhere"]
    assert said["over"] == [False, "off"]
    assert said["outcomes"] == ["one ARRIVED", "one DONE", "three FAILED", "four FAILED", "six ARRIVED"]
