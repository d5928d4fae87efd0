"""Our engine beside llama-server: the same prompts for both, and figures that add up. No test looks at a time."""

from __future__ import annotations

from pathlib import Path

import pytest

from npc_eval.benchmarks import contest
from npc_eval.benchmarks.contest import OURS, THEIRS, bench_contest
from npc_eval.benchmarks.llama_server import MISSING, find_llama_server
from npc_eval.benchmarks.workload import workload
from npc_eval.random_model import make_random_model
from npc_server.config import EngineSettings
from npc_server.errors import ModelRejected

SETTINGS = EngineSettings.model_validate({"threads": 1, "n_gpu_layers": 0})


def test_prompts_have_300_to_1200_tokens_and_replies_20_to_200() -> None:
    asked = workload("none", 16, "run", 1.0)
    lengths = [len(f"{one.system} {one.user}".split()) for one in asked]
    assert 300 <= min(lengths) < 400
    assert 1000 < max(lengths) < 1250
    assert min(one.reply_tokens for one in asked) < 30
    assert 150 < max(one.reply_tokens for one in asked) <= 200
    assert len({one.system for one in asked}) == 16
    assert workload("none", 16, "run", 1.0) == asked, "each engine is asked the same"


def test_a_third_of_the_tokens_is_the_same_for_all_or_most_are() -> None:
    asked = workload("third", 16, "run", 1.0)
    assert len({one.system for one in asked}) == 1
    words = sum(len(f"{one.system} {one.user}".split()) for one in asked) / 16
    assert len(asked[0].system.split()) / words == pytest.approx(1 / 3, abs=0.06)
    one = workload("most", 4, "run", 1.0)[0]
    assert len(one.system.split()) / len(f"{one.system} {one.user}".split()) > 0.8


@pytest.mark.model
@pytest.mark.parametrize("there", [pytest.param(True, marks=pytest.mark.skipif(not find_llama_server(), reason="no llama-server")), False])
def test_each_engine_answers_all_prompts_with_as_many_tokens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: bool) -> None:
    if not there:
        monkeypatch.setattr(contest, "find_llama_server", lambda: None)
    found = bench_contest(SETTINGS, make_random_model(tmp_path / "tiny.gguf"), requests=(1, 3))
    names = [OURS, THEIRS] if there else [OURS]
    kinds = [("none", 1), ("none", 3), ("third", 3), ("most", 3)]
    assert [(row.sharing, row.requests, row.engine) for row in found.rows] == [(*kind, name) for kind in kinds for name in names]
    assert (found.note == MISSING) != there
    for row in found.rows:
        assert row.reply_tokens == sum(one.reply_tokens for one in workload(row.sharing, row.requests, "", 1.0))
        assert row.tokens_per_s > 0
        assert (row.ratio > 0) == (there and row.engine == OURS)


def test_a_file_that_is_no_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.gguf").write_bytes(b"no model at all, but long enough")
    with pytest.raises(ModelRejected):
        bench_contest(SETTINGS, tmp_path / "x.gguf")
