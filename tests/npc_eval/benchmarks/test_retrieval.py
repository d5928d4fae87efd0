from __future__ import annotations

from npc_eval.benchmarks.retrieval import commits, retrieval


def test_retrieval_is_measured_at_each_size() -> None:
    figures = retrieval(sizes=(50, 200), dimensions=8, runs=5)
    assert [(f.memories, f.dimensions, f.runs) for f in figures] == [(50, 8, 5), (200, 8, 5)]
    assert all(0 < f.median_ms <= f.p99_ms for f in figures)


def test_commits_are_measured_alone_and_together() -> None:
    figures = commits(together=(1, 10), seconds=0.05)
    assert [f.together for f in figures] == [1, 10]
    assert all(f.events >= f.together and f.events_per_s > 0 and 0 < f.median_ms <= f.p99_ms for f in figures)
