"""NpcAgent, NpcPlace and NpcObject in a real Godot, without a server."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.godot.conftest import ADDON, RunCase, user_folder
from tests.waiting import LIMIT_S

pytestmark = pytest.mark.godot


def test_body_walks_uses_things_and_tells_why_it_cannot(run_case: RunCase) -> None:
    ran = run_case("agent", "--no-server")
    assert ran.code == 0, ran.output
    assert "SCRIPT ERROR" not in ran.output, ran.output
    assert [outcome for outcome in ran.result["outcomes"] if not outcome[0].startswith("food")] == [
        ["one", "OUTCOME_STATUS_ARRIVED", "", "OUTCOME_REASON_UNSPECIFIED"],
        ["two", "OUTCOME_STATUS_FAILED", "there is no such place here", "OUTCOME_REASON_UNREACHABLE"],
        ["three", "OUTCOME_STATUS_ARRIVED", "", "OUTCOME_REASON_UNSPECIFIED"],
        ["private", "OUTCOME_STATUS_FAILED", "Mara's house is private", "OUTCOME_REASON_CLOSED"],
        ["four", "OUTCOME_STATUS_ARRIVED", "", "OUTCOME_REASON_UNSPECIFIED"],
        ["five", "OUTCOME_STATUS_FAILED", "the bathroom is occupied", "OUTCOME_REASON_OCCUPIED"],
        ["six", "OUTCOME_STATUS_FAILED", "the stove is burning", "OUTCOME_REASON_UNSUITABLE"],
        ["seven", "OUTCOME_STATUS_FAILED", "one cannot fly with the stove", "OUTCOME_REASON_UNSUITABLE"],
        ["eight", "OUTCOME_STATUS_ARRIVED", "", "OUTCOME_REASON_UNSPECIFIED"],
        ["nine", "OUTCOME_STATUS_FAILED", "Calder's shop is closed until 08:00", "OUTCOME_REASON_CLOSED"],
    ]
    assert ran.result["reaches"] == [
        ["millbrook:mara_house:bathroom", True, False, True],
        ["millbrook:cafe:kitchen", True, True, True],
        ["millbrook:nowhere", False, True, False],
    ]
    first, second, third = ran.result["seen"]
    assert ["PERCEPTION_KIND_PERSON", "Robin", "is here", "PLAYER_PRESENCE_FREE"] in first
    assert ["PERCEPTION_KIND_PLACE", "millbrook:mara_house:bathroom", ""] in first
    assert ["PERCEPTION_KIND_PERSON", "tobin_hale", "is busy"] in first
    assert ["WHEREABOUTS", "", "near"] in first
    assert not any("kitchen" in subject for _, subject, *_ in first), "she sees through the wall"
    assert second == [], "what did not change is told again"
    assert third == [["WHEREABOUTS", "", "far"], ["PERCEPTION_KIND_PERSON", "Robin", "", "PLAYER_PRESENCE_GONE"]]
    assert ran.result["witnesses"] == [1, 0]
    told = {key: ran.result["deed"][key] for key in ("kind", "subject", "text", "player")}
    assert list(told.values()) == ["PERCEPTION_KIND_EVENT", "Robin", "takes the soap", "PLAYER_PRESENCE_BUSY"]


def test_a_game_s_own_scripts_decide_what_places_and_objects_allow(run_case: RunCase) -> None:
    ran = run_case("own_rules", "--no-server")
    assert ran.code == 0, ran.output
    assert "SCRIPT ERROR" not in ran.output, ran.output
    assert ran.result == {
        "closed": "the shop is closed",
        "no power": "there is no power",
        "asked": ["mara lit", "mara off"],
        "2D": ["it is only drawn", "after", False, False],
    }


BARE = {
    "project.godot": 'config_version=5\n[application]\nconfig/name="bare"\nrun/main_scene="res://main.tscn"\n',
    "main.tscn": """[gd_scene format=3]
[ext_resource type="Script" path="res://main.gd" id="1"]
[node name="Main" type="Node2D"]
script = ExtResource("1")
""",
    "main.gd": """extends Node2D

func _ready() -> void:
	for id: String in ["mara", "tobin"] as Array[String]:
		var body := Node2D.new()
		var agent := NpcAgent.new()
		agent.persona_id = id
		body.add_child(agent)
		add_child(body)
	var stove := NpcObject.new()
	stove.states = ["on", "off"]
	add_child(stove)
	print("STOVE ", stove.apply_state("on"), " ", stove.state)
	for i: int in 5:
		await get_tree().physics_frame
	print("RAN ON")
	get_tree().quit()
""",
}


def test_nodes_work_in_a_project_that_has_not_enabled_the_plugin_and_say_so_once(godot: str, tmp_path: Path) -> None:
    project = tmp_path / "bare"
    shutil.copytree(ADDON, project / "addons" / "npc", ignore=shutil.ignore_patterns("bin", "bridge", "*.gdextension"))
    for name, text in BARE.items():
        (project / name).write_text(text)
    env = {**os.environ, **user_folder(tmp_path)}
    said = ""
    for arguments in (["--import"], []):
        command = [godot, "--headless", "--path", str(project), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False, env=env)
        said += done.stdout + done.stderr
    assert "STOVE true on\nRAN ON" in said, said
    errors = [line for line in said.splitlines() if line.startswith(("ERROR", "SCRIPT ERROR"))]
    assert len(errors) == 1, said
    assert "Enable the plugin" in errors[0]


def test_body_walks_at_its_own_speed_gets_round_what_it_can_and_gives_up_at_what_it_cannot(run_case: RunCase) -> None:
    ran = run_case("in_the_way")
    assert ran.code == 0, ran.output
    assert "SCRIPT ERROR" not in ran.output, ran.output
    assert [came for _, came in ran.result["around"]] == [["arrived", ""]] * 4, ran.result["around"]
    assert ran.result["blocked"] == ["failed", "something is in the way"]
    assert 2.0 <= ran.result["blocked_s"] <= 8.0
    assert ran.result["opened"] == ["arrived", ""]
    assert ran.result["beside"] == ["arrived", ""]
    assert 15.0 < ran.result["beside_px"] < 40.0
    assert ran.result["full"] == ["failed", "the town:east is occupied"]


def test_people_live_on_while_their_scene_is_left_questions_take_turns_and_mistakes_are_told(run_case: RunCase) -> None:
    ran = run_case("absent")
    assert ran.code == 0, ran.output
    assert "SCRIPT ERROR" not in ran.output, ran.output
    assert ran.result["signals"][:2] == ["one", "two"], "the game is not told that somebody is at it"
    persona, place = sorted(ran.result["mistakes"], reverse=True)
    assert persona.startswith("UNKNOWN_PERSONA")
    assert "'marra'" in persona
    assert "It has: mara, tobin." in persona
    assert place.startswith("PLACE_OUTSIDE_TOWN")
    assert "Correct the addresses: twon:green" in place


def test_what_people_cost_in_a_frame_can_be_measured(run_case: RunCase) -> None:
    ran = run_case("agents_cost", "frames=60", "--no-server", "--town=alderwick")
    assert ran.code == 0, ran.output
    assert "SCRIPT ERROR" not in ran.output, ran.output
    assert (ran.result["people"], ran.result["places"], ran.result["things"]) == (25, 117, 308)
    assert ran.result["frame_usec"]["count"] > 0
