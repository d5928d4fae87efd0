"""A scene that does not match the town: the game is told which addresses are wrong, and which rooms and objects have no node."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.godot.conftest import RunCase
from tests.godot.test_real_server import REAL

pytestmark = pytest.mark.godot
PEOPLE = Path(__file__).with_name("small_game_3d") / "people"


def test_wrong_addresses_and_missing_nodes_are_told_once_and_what_is_right_is_not(run_case: RunCase, tmp_path: Path) -> None:
    people = tmp_path / "people"
    shutil.copytree(PEOPLE, people)
    ran = run_case("scene_check", f"npc/save/town={people / 'town.yaml'}", f"npc/save/personas={people / 'personas'}", env=REAL)
    assert ran.code == 0, ran.output
    assert "SCRIPT ERROR" not in ran.output, ran.output
    unknown, missing = ran.result["first scene"]
    assert unknown[0] == "UNKNOWN_PLACE"
    assert "The town 'harbor' does not have these addresses" in unknown[1]
    assert "'harbor:islte:beach' of '/root/Scene/beach' (did you mean 'harbor:islet:beach'?)" in unknown[1]
    assert "(did you mean 'harbor:quay:market:stall'?). Correct them." in unknown[1]
    assert missing[0] == "MISSING_NODES"
    named = "'harbor:shop:floor' in '/root/Scene/shop', 'harbor:shed:loft:peg' in '/root/Scene/loft'"
    assert f": {named}. Add an NpcPlace or NpcObject" in missing[1], "more or less is missing than a room and a peg"
    assert [reason for reason, _ in ran.result["second scene"]] == ["MISSING_NODES"], "the shop's floor is told again"
    assert ": 'harbor:islet:beach:rock' in '/root/Scene/beach'. Add" in ran.result["second scene"][0][1]
    assert ran.result["another town"] == [], "PLACE_OUTSIDE_TOWN tells of that"
    assert [reason for reason, _ in ran.result["made"]] == ["UNKNOWN_PLACE"]
    assert "drum 4'" in ran.result["made"][0][1]
    assert "drum 5'" not in ran.result["made"][0][1]
    assert "and 2 more. Correct them." in ran.result["made"][0][1]
    assert (ran.result["registered"], ran.result["applied"]) == ([], [])
    told = ran.result["new game"]
    assert [reason for reason, _ in told] == ["UNKNOWN_PLACE"], "a new game does not know what the game made in the old one"
    assert "kite" in told[0][1]
    assert "drum" not in told[0][1], "it is told again"


@pytest.mark.parametrize(("town", "nodes"), [("millbrook", 80), ("alderwick", 425)])
def test_demo_towns_and_their_files_have_the_same_addresses(run_case: RunCase, town: str, nodes: int) -> None:
    ran = run_case("scene_check", "demo", f"--town={town}", env=REAL)
    assert ran.code == 0, ran.output
    assert ran.result == {"errors": [], "addresses": nodes}, ran.output
