"""The title, the pause menu, saves and settings of the demo, steered with keys and a pad."""

from __future__ import annotations

import pytest

from tests.godot.conftest import RunCase
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
