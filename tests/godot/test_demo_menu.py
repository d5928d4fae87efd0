"""The title, the pause menu, saves and settings of the demo, steered with keys and a pad."""

from __future__ import annotations

import pytest

from tests.godot.conftest import RunCase
from tests.godot.display import display
from tests.godot.test_real_server import REAL

pytestmark = pytest.mark.godot


@pytest.mark.parametrize("transport", ["socket"], indirect=True)
def test_menus_lead_through_a_game(run_case: RunCase) -> None:
    ran = run_case("menu_flow", env=REAL)
    assert ran.code == 0, ran.output
    assert "SCRIPT ERROR" not in ran.output, ran.output
    assert ran.result["text"] == "large", "a setting is not kept"
    assert ran.result["volume"] == pytest.approx(0.6)
    assert ran.result["slot"] == "Millbrook 1"
    assert ran.result["ran_while_paused"] == 0.0
    assert ran.result["sent_while_paused"] == 0
    assert ran.result["saved"] == ["Millbrook 2"]
    assert len(ran.result["loaded"]) == 1


@pytest.mark.parametrize("transport", ["socket"], indirect=True)
def test_saves_have_pictures_and_the_pause_menu_opens_those_of_another_town(run_case: RunCase) -> None:
    with display() as screen:
        ran = run_case("menu_slots", env={**REAL, **screen}, drawn=True)
    assert ran.code == 0, ran.output
    assert "SCRIPT ERROR" not in ran.output, ran.output
    found = ran.result
    assert found["size"] == [256, 144]
    assert found["like_town"] < 0.02, "the picture is not what was on the screen"
    assert found["like_menu"] > max(0.02, 3 * found["like_town"]), "the picture shows the menu"
    assert found["whole"]["Millbrook 2"] == found["whole"]["Millbrook 3"] == [256, False, False]
    assert found["broken"]["Millbrook 2"] == found["broken"]["Millbrook 3"] == [0, True, False], "a save without its picture is lost"
    assert found["at Millbrook 2"] == found["at Millbrook 3"], "the server's clock runs in a pause"
    assert found["ran_while_paused"] == 0.0
    assert found["before"] == ["Alderwick", "Alderwick 1"]
    assert found["after"] == ["Millbrook", "Millbrook 3", 3]
    assert found["at"] == pytest.approx(found["at Millbrook 3"], abs=600), "the town does not go on where it was saved"
