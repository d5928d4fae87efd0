"""How the demo looks: labels over a day, and what stands about in the towns."""

from __future__ import annotations

import pytest

from tests.godot.conftest import RunCase
from tests.godot.test_real_server import REAL

pytestmark = pytest.mark.godot


@pytest.mark.parametrize(
    ("town", "people", "text"), [("alderwick", 25, "normal"), ("alderwick", 25, "largest"), ("millbrook", 3, "normal")]
)
def test_no_label_covers_another_or_somebody_at_any_hour(run_case: RunCase, town: str, people: int, text: str) -> None:
    ran = run_case("look_day", f"text={text}", "--no-server", f"--town={town}")
    assert ran.code == 0, ran.output
    assert "SCRIPT ERROR" not in ran.output, ran.output
    assert ran.result["people"] == people
    assert ran.result["layouts"] == 48
    assert ran.result["covered"] == 0


@pytest.mark.parametrize("transport", ["socket"], indirect=True)
def test_the_largest_texts_fit_into_the_game_and_another_size_counts_at_once(run_case: RunCase) -> None:
    ran = run_case("text_sizes", env=REAL)
    assert ran.code == 0, ran.output
    assert "SCRIPT ERROR" not in ran.output, ran.output
    assert ran.result["looked"] > 25
    assert ran.result["names"] > 10, "hardly a name is shown"  # roofs hide those of people at home


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
