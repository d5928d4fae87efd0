"""Bodies on maps of tiles, in scenes that replace each other, and at objects that move. Without a server, as fast as Godot can."""

from __future__ import annotations

import pytest

from tests.godot.conftest import UNPACED, RunCase

pytestmark = pytest.mark.godot


def test_bodies_as_wide_as_most_doors_walk_through_all_doors_of_a_tile_map(run_case: RunCase) -> None:
    ran = run_case("tiles", "--no-server", engine=UNPACED)
    assert ran.code == 0, ran.output
    assert ran.result["ways"] > 100
    assert ran.result["stuck"] == []
    assert ran.result["met"] == ["arrived", "arrived"], "two who meet in a door block each other"


def test_a_change_of_scene_is_no_reason_to_find_places_out_of_reach(run_case: RunCase) -> None:
    ran = run_case("new_scene", "--no-server", engine=UNPACED)
    assert ran.code == 0, ran.output
    assert (ran.result["came"], ran.result["reaches"], ran.result["failed"]) == (["arrived"] * 5, [True] * 5, [])


def test_who_uses_an_object_goes_after_it_and_who_could_not_does_nothing_in_words_either(run_case: RunCase) -> None:
    ran = run_case("objects", "--no-server", engine=UNPACED)
    assert ran.code == 0, ran.output
    assert "SCRIPT ERROR" not in ran.output, ran.output
    assert (ran.result["on_the_way"], ran.result["in_use"]) == (True, True)
    assert ran.result["told"] == 1, "the arrival is reported again"
    assert ran.result["failed"] == ["there is no such place here", True, True, "is standing there"]
