"""What a part of the benchmark has measured, as lines of a table."""

from __future__ import annotations

from npc_eval.benchmarks.parts import lines_of


def test_each_row_of_a_figure_is_a_line_with_what_holds_for_all_of_them() -> None:
    figure = {"transport": "socket", "agents": 25, "rows": [{"name": "idle", "p99_us": 140.0}, {"name": "as_played", "p99_us": 1079.0}]}
    assert lines_of(figure) == [
        {"transport": "socket", "agents": 25, "name": "idle", "p99_us": 140.0},
        {"transport": "socket", "agents": 25, "name": "as_played", "p99_us": 1079.0},
    ]
