"""How long a player waits for an answer."""

from __future__ import annotations

import pytest

from npc_eval.benchmarks import talk
from npc_server.config import EngineSettings


def test_each_line_of_a_talk_is_waited_for_with_and_without_npc_rerank(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(talk, "TOWNS", ("millbrook",))
    plain, again = talk.bench_talk(EngineSettings(model="none", embedding_model="none"), talks=1, pause_s=0.0)
    assert (plain.reranker, again.reranker) == ("none", "npc-rerank")
    assert plain.lines == again.lines > 3
    assert 0 < plain.p50_s <= plain.p95_s
    assert 0 < plain.known_p50_s <= plain.known_p95_s <= plain.p95_s
    assert plain.ratio_p50 == 1.0
