"""The demo's frames as a table; the measuring itself needs a Godot, see tests/godot/test_frames.py."""

from __future__ import annotations

from npc_eval.benchmarks.frames import rows_of


def test_parts_stand_below_their_sum_with_the_dearest_first() -> None:
    costs = {"hud": [1000, 1000, 4000], "people": [5000, 5000, 5000], "town": [100, 100]}
    rows = rows_of("alderwick", {"costs": costs, "redraws": {"people": 75, "hud": 3}})
    assert [row.part for row in rows] == ["all", "people", "hud", "town"]
    assert (rows[0].median_ms, rows[0].p99_ms, rows[0].redraws) == (6.1, 9.0, 26.0)
    assert (rows[0].worst_ms, rows[2].worst_ms) == (9.0, 4.0)
    assert (rows[2].median_ms, rows[2].mean_ms, rows[2].redraws) == (1.0, 2.0, 1.0)
    assert {row.town for row in rows} == {"alderwick"}
