from __future__ import annotations

from pathlib import Path

import pytest

from npc_eval.benchmarks.choosing import bench_choosing
from npc_eval.benchmarks.layouts import VARIANTS, bench_layouts
from npc_eval.random_model import make_random_model

pytestmark = pytest.mark.model


def test_every_layout_is_measured(tmp_path: Path) -> None:
    rows = bench_layouts(make_random_model(tmp_path / "tiny.gguf", heads=2), sequences=3, tokens=80, repeats=1, n_gpu_layers=0)
    assert [row.name for row in rows] == [variant.name for variant in VARIANTS]
    assert all(row.replies > 0 and row.prompt > 0 for row in rows)


def test_choosing_is_a_part_of_a_turn() -> None:
    (row,) = bench_choosing(vocabulary=1024, sequences=3, turns=4, widths=(80,), layers=1)
    assert 0 < row.decode_ms < row.turn_ms
    assert row.share == pytest.approx(1 - row.decode_ms / row.turn_ms)
