"""What a frame of the demo costs, measured in a real Godot. How long anything takes is no part of the test."""

from __future__ import annotations

from pathlib import Path

import pytest

from npc_eval.benchmarks.frames import bench_frames
from tests.godot.conftest import PROJECT

pytestmark = pytest.mark.godot


@pytest.mark.parametrize(("town", "parts"), [("millbrook", {"hud"}), ("alderwick, played", {"hud", "game", "player"})])
def test_frames_of_the_demo_are_measured_by_part(godot: str, town: str, parts: set[str]) -> None:
    found = bench_frames(Path(godot), PROJECT, (town,), frames=30)
    rows = {row.part: row for row in found.rows}
    assert {"all", "agents", "people", "labels", "NpcServer", *parts} <= set(rows)
    assert rows["all"].mean_ms >= rows["people"].mean_ms > 0
    assert town != "millbrook" or rows["all"].redraws < 3, "three people are drawn anew in each frame"
