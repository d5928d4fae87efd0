"""A 3D game: bodies walk Godot's 3D navigation, see in metres, keep the rules of 3D places, and live by a real server."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.godot.conftest import PROJECT, RunCase, copy_addon, user_folder
from tests.godot.test_real_server import REAL
from tests.waiting import LIMIT_S

pytestmark = [pytest.mark.godot, pytest.mark.usefixtures("transport")]
GAME = Path(__file__).with_name("small_game_3d")
SETTINGS = """config_version=5

[application]
config/name="Harbor in 3D"
run/main_scene="res://main.tscn"
config/features=PackedStringArray("4.4")

[autoload]
NpcServer="*res://addons/npc/npc_server.gd"

[debug]
gdscript/warnings/untyped_declaration=2

[npc]
save/town="res://people/town.yaml"
save/personas="res://people/personas"

[physics]
3d/physics_engine="Jolt Physics"
"""
SCENE = """[gd_scene load_steps=2 format=3]

[ext_resource type="Script" path="res://game.gd" id="1"]

[node name="Game" type="Node"]
script = ExtResource("1")
"""


def play(godot: str, folder: Path) -> dict[str, Any]:
    """What came of a morning in a project of its own, with the physics of a new project."""
    project = folder / "game"
    shutil.copytree(GAME, project)
    copy_addon(project)
    shutil.copy(PROJECT / "tests" / "world_3d.gd", project)
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


def test_two_people_live_a_morning_in_three_dimensions(godot: str, tmp_path: Path) -> None:
    said = play(godot, tmp_path)
    assert said["failed"] == []
    assert ["rosa", "harbor:quay:market:stall", "harbor:quay:market", 0.0] in said["arrived"]
    assert ["otto", "harbor:shed:loft:peg", "harbor:shed:loft", 3.0] in said["arrived"], "he does not climb to the loft"
    assert ["otto", "harbor:shop:floor:counter", "harbor:shop:floor", 0.0] in said["arrived"], "the shop never opens for him"
    assert said["not_done"][0] == ["otto", "harbor:shed:loft:bench", "something is in the way"]
    assert "because something is in the way" in said["memories of otto"]
    assert said["in_closed_shop"] == 0
    assert said["reaches"] == [False, False, True], "the islet, the closed shop, and the stall"
    assert not any("islet" in address for _, address, _, _ in said["arrived"])
    assert (said["answered"], "Petrel" in said["answer"]) == (True, True)
    assert said["saw_deed"] >= 1
    assert "Robin juggles three herrings" in said["memories of rosa"]
    assert "Rosa Lind is" in said["memories of otto"]
    assert "Otto Brandt is" in said["memories of rosa"]


def test_bodies_walk_climb_and_turn_and_go_around_what_is_in_the_way_or_give_up(run_case: RunCase) -> None:
    ran = run_case("walk_3d")
    assert ran.code == 0, ran.output
    assert "SCRIPT ERROR" not in ran.output, ran.output
    said = ran.result
    assert said["errors"] == []
    assert said["usual"] == [1.4, 1.0]
    assert [message.split("'")[3] if "address" in message else message for message in said["told"]] == [
        "town:west:bench",
        "NpcAgent 'lost' finds no navigation map, so no character can walk. Add a NavigationRegion3D with a baked mesh.",
    ]
    assert "it is 3.0 m from the navigation map, and characters reach 1.0 m. Set its stand to a point" in said["told"][0]
    assert abs(said["speed"] - 1.4) < 0.05
    assert said["floors"] == [
        ["arrived", "town:above", 3.0],
        ["arrived", "town:below", 0.0],
        ["there is no way to get there", "town:below", 0.0],
    ]
    assert said["around"] == said["beside"] == ["arrived", "town:east", 0.0]
    assert said["past"] == ["arrived", "town:below", 0.0]
    assert said["blocked"] == ["something is in the way", "town", 0.0]
    assert 0.5 < said["beside_m"] < 1.2
    assert said["no_floor"] == ["arrived", "town:below"]
    assert ran.output.count("falls through the floor") == 1
    assert said["drone"] == ["arrived", "town:above", 4.2], "it does not keep its height above the ground"
    assert said["ghost"] == ["arrived", "town:above", 3.5], "it falls, or does not keep its height"


def test_bodies_see_in_metres_use_objects_and_keep_the_rules_of_3d_places(run_case: RunCase) -> None:
    ran = run_case("agent_3d")
    assert ran.code == 0, ran.output
    assert "SCRIPT ERROR" not in ran.output, ran.output
    said = ran.result
    assert said["near"] == [
        ["PLACE", "town:hall", "", 0.0],
        ["PERSON", "tobin", "is standing there", 3.0],
        ["PERSON", "Robin", "is here", 2.0],
        ["OBJECT", "town:hall:stove", "is off", 2.0],
    ]
    assert said["again"] == [], "what did not change is told again"
    assert said["apart"] == [["PERSON", "Robin", "", 0.0]], "she sees through the wall"
    assert said["alone"] == [["PLACE", "town:hall", "", 0.0], ["OBJECT", "town:hall:stove", "is off", 2.0]], "or through the ceiling"
    assert said["witnesses"] == [1, 0, 0]
    assert said["hears"] == [1, 0]
    assert said["stove"] == [["mara on", "mara off"], ["mara cook"]]
    assert said["reaches"] == [[True, True, True], [True, True, True], [False, True, False]]
    assert said["outcomes"] == [
        ["cook", "ARRIVED", "UNSPECIFIED"],
        ["too", "FAILED", "OCCUPIED"],
        ["fly", "FAILED", "UNSUITABLE"],
        ["shop", "ARRIVED", "UNSPECIFIED"],
        ["full", "FAILED", "OCCUPIED"],
        ["late", "FAILED", "CLOSED"],
        ["private", "FAILED", "CLOSED"],
        ["stand", "ARRIVED", "UNSPECIFIED"],
        ["map", "FAILED", "UNREACHABLE"],
    ]
    why = ("taken", "unsuitable", "full", "closed", "private", "map")
    assert [said[key] for key in why] == [
        "the stove is occupied",
        "one cannot fly with the stove",
        "the shop is occupied",
        "the shop is closed until 08:00",
        "the loft is private",
        "there is no such place here",
    ]
    assert said["appeared"] == [True, pytest.approx(0.9)], "it appears with its feet in the ground"
    assert said["flat"] == [1, True, 80.0]
    assert not said["sees_drawn"], "a 3D body sees a 2D one"
    assert [reason for reason, _ in said["errors"]] == ["MIXED_2D_3D"]
    assert "make it an NpcPlace3D" in said["errors"][0][1]


def test_people_who_talk_come_near_and_turn_to_each_other_and_their_lines_can_be_read(run_case: RunCase) -> None:
    ran = run_case("talk_together", "--no-server")
    assert ran.code == 0, ran.output
    assert "SCRIPT ERROR" not in ran.output, ran.output
    assert ran.result["seen"] == ["is talking", ""], "who comes up to talk is on the way"
    at_once = [["mara", "Good morning, Tobin!", False], ["ines", "Hm.", False]]
    read = [["tobin", "Is it?", False]]
    called_away = [["tobin", "Yes, Robin?", True]]
    gone_apart = ["then", ["mara", "Five.", False]]
    unpaced = [["mara", "One.", False], ["ines", "Two.", False]]
    assert ran.result["shown"] == [
        *at_once,
        "then",
        *read,
        "then",
        *called_away,
        "then",
        *unpaced,
        "then",
        ["mara", "Three.", False],
        *gone_apart,
    ]


def test_talks_go_on_when_somebody_is_in_the_way_comes_late_or_is_freed(run_case: RunCase) -> None:
    ran = run_case("talk_trouble", "--no-server")
    assert ran.code == 0, ran.output
    assert "ERROR" not in ran.output, ran.output
    assert ran.result["lost"] == "there is no such place here"


def test_lines_stay_in_order_and_end_when_a_game_changes_its_mind(run_case: RunCase) -> None:
    ran = run_case("lines_trouble", "--no-server")
    assert ran.code == 0, ran.output
    assert "ERROR" not in ran.output, ran.output
    assert ran.output.count("WARNING: NpcServer.reading_speed is") == 2
