"""What runs models here, side by side. No test looks at a time."""

from __future__ import annotations

from pathlib import Path

import pytest

from npc_eval.benchmarks import runtimes
from npc_eval.random_model import make_random_model
from npc_server.config import EngineSettings
from npc_server.llm.runtime import XLLAMACPP, find_runtime, installed_runtimes

SETTINGS = EngineSettings.model_validate({"threads": 1, "n_gpu_layers": 0})


@pytest.mark.model
@pytest.mark.skipif(all(it.kind != XLLAMACPP for it in installed_runtimes()), reason="there is no xllamacpp; make setup installs it")
def test_each_runtime_plays_the_same_talks_and_tells_what_a_line_costs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runtimes, "TALKS", 1)
    monkeypatch.setattr(runtimes, "LINES", 2)
    kinds = ("llama-cpp-python", XLLAMACPP)
    monkeypatch.setattr(runtimes, "_runtimes", lambda: map(find_runtime, kinds))
    rows = runtimes.bench_runtimes(SETTINGS, make_random_model(tmp_path / "tiny.gguf"))
    assert [row.runtime for row in rows] == list(kinds)
    for row in rows:
        assert 0 < row.first_s <= row.line_s
        assert row.cpu_written > 0
        assert row.cpu_line_s >= 0  # the system counts in hundredths
        assert row.scored_cpu_s >= 0
        assert row.memory_mb > 0
