from __future__ import annotations

from pathlib import Path

import pytest

from npc_server.config import EngineSettings
from npc_server.errors import ModelRejected
from npc_server.evaluation.benchmarks.engine import bench_engine
from npc_server.llm.random_model import make_random_model


@pytest.mark.model
def test_bench_measures_with_and_without_a_shared_prefix(tmp_path: Path) -> None:
    model = make_random_model(tmp_path / "tiny.gguf")
    found = bench_engine(EngineSettings.model_validate({"threads": 1}), model, parallel=(1, 3), repeats=1)
    assert [(row.parallel, row.shared_prefix) for row in found.rows] == [(1, False), (3, False), (1, True), (3, True)]
    for row in found.rows:
        assert row.reply_tokens == 64 * row.parallel
        assert row.tokens_per_s == pytest.approx(row.reply_tokens / row.wall_s)
        assert 500 < row.prompt_tokens / row.parallel < 800
    assert [row.cached_tokens > 0 for row in found.rows] == [False, False, False, True]
    assert [row.ratio for row in found.rows if row.parallel == 1] == [1, 1]
    assert found.parameters_m == pytest.approx(0.24, abs=0.01)


def test_bench_of_a_file_that_is_no_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.gguf").write_bytes(b"no model at all, but long enough")
    with pytest.raises(ModelRejected):
        bench_engine(EngineSettings(), tmp_path / "x.gguf")
