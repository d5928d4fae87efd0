"""NpcAgent, NpcPlace and NpcObject in a real Godot, without a server."""

from __future__ import annotations

import pytest

from tests.godot.conftest import RunCase

pytestmark = pytest.mark.godot


def test_body_walks_uses_things_and_tells_why_it_cannot(run_case: RunCase) -> None:
    ran = run_case("agent", "--no-server")
    assert ran.code == 0, ran.output
    assert "SCRIPT ERROR" not in ran.output, ran.output
    assert [outcome for outcome in ran.result["outcomes"] if not outcome[0].startswith("food")] == [
        ["one", "OUTCOME_STATUS_ARRIVED", ""],
        ["two", "OUTCOME_STATUS_FAILED", "there is no such place here"],
        ["three", "OUTCOME_STATUS_ARRIVED", ""],
        ["private", "OUTCOME_STATUS_FAILED", "Mara's house is private"],
        ["four", "OUTCOME_STATUS_ARRIVED", ""],
        ["five", "OUTCOME_STATUS_FAILED", "the bathroom is occupied"],
        ["six", "OUTCOME_STATUS_FAILED", "the stove is burning"],
        ["seven", "OUTCOME_STATUS_FAILED", "one cannot fly with the stove"],
        ["eight", "OUTCOME_STATUS_ARRIVED", ""],
        ["nine", "OUTCOME_STATUS_FAILED", "Calder's shop is closed until 08:00"],
    ]
    assert ran.result["reaches"] == [
        ["millbrook:mara_house:bathroom", True, False, True],
        ["millbrook:cafe:kitchen", True, True, True],
        ["millbrook:nowhere", False, True, False],
    ]
    first, second, third = ran.result["seen"]
    assert ["PERCEPTION_KIND_PERSON", "Robin", "is here"] in first
    assert ["PERCEPTION_KIND_PLACE", "millbrook:mara_house:bathroom", ""] in first
    assert ["PERCEPTION_KIND_PERSON", "tobin_hale", "is busy"] in first
    assert ["WHEREABOUTS", "", "near"] in first
    assert not any("kitchen" in subject for _, subject, _ in first), "she sees through the wall"
    assert second == [], "what did not change is told again"
    assert third == [["WHEREABOUTS", "", "far"]]
