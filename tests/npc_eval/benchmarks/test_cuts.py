"""What the soak with cut connections finds wrong with the stored events. tests/godot/test_transports.py runs it."""

from __future__ import annotations

import pytest

from npc_eval.benchmarks.cuts import compared


@pytest.mark.parametrize(
    ("stored", "lost", "doubled", "out_of_order"),
    [
        ([0, 1, 2, 3], 0, 0, 0),
        ([0, 1, 3], 1, 0, 0),
        ([0, 1, 2], 1, 0, 0),
        ([0, 1, 1, 2, 3], 0, 1, 0),
        ([0, 2, 1, 3], 0, 0, 1),
        ([], 4, 0, 0),
    ],
)
def test_lost_doubled_and_misplaced_events_are_counted(stored: list[int], lost: int, doubled: int, out_of_order: int) -> None:
    assert compared(stored, told=4) == {"lost": lost, "doubled": doubled, "out_of_order": out_of_order}
