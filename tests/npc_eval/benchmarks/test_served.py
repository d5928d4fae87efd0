"""A town with the model in our own process, and with the same file behind llama-server. No test looks at a time."""

from __future__ import annotations

from pathlib import Path

import pytest

from npc_eval.benchmarks import served
from npc_eval.benchmarks.llama_server import find_llama_server
from npc_eval.benchmarks.served import bench_served
from npc_eval.random_model import make_random_model
from npc_server.config import EngineSettings
from npc_server.errors import ModelMissing

SETTINGS = EngineSettings.model_validate({"threads": 1, "n_gpu_layers": 0})


@pytest.mark.model
@pytest.mark.skipif(not find_llama_server(), reason="no llama-server")
def test_the_same_town_is_played_with_both_and_every_question_is_counted(tmp_path: Path) -> None:
    own, other = bench_served(SETTINGS, make_random_model(tmp_path / "tiny.gguf"), hours=0.05)
    assert (own.engine, other.engine) == ("in the box", "llama-server")
    assert own.ratio == 1.0
    for row in (own, other):
        assert 0 <= row.used <= row.questions
        assert row.questions > 0
        assert row.prompt_tokens > row.cached_tokens
        assert row.reply_tokens > 0


def test_without_llama_server_it_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(served, "find_llama_server", lambda: None)
    with pytest.raises(ModelMissing) as told:
        bench_served(SETTINGS, tmp_path / "any.gguf")
    assert "get_llama_server.sh" in str(told.value)
