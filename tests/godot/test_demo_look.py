"""How the demo looks: labels over a day, and what stands about in the towns."""

from __future__ import annotations

import pytest

from tests.godot.conftest import RunCase

pytestmark = pytest.mark.godot


@pytest.mark.parametrize(("town", "people"), [("alderwick", 25), ("millbrook", 3)])
def test_no_label_covers_another_or_somebody_at_any_hour(run_case: RunCase, town: str, people: int) -> None:
    ran = run_case("look_day", "--no-server", f"--town={town}")
    assert ran.code == 0, ran.output
    assert "SCRIPT ERROR" not in ran.output, ran.output
    assert ran.result["people"] == people
    assert ran.result["layouts"] == 48
    assert ran.result["covered"] == 0


def test_sounds_are_made_and_heard_where_something_happens(run_case: RunCase) -> None:
    ran = run_case("sounds", "--no-server", "--sounds")
    assert ran.code == 0, ran.output
    assert "SCRIPT ERROR" not in ran.output, ran.output
    assert {"bell", "coin", "click", "crickets"} <= set(ran.result["made"])
    assert ran.result["longest_s"] < 3


def test_without_a_window_there_is_no_sound(run_case: RunCase) -> None:
    ran = run_case("sounds", "--no-server", "silent")
    assert ran.code == 0, ran.output
    assert ran.result["made"] == []
