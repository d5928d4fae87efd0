from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from npc_eval.benchmarks.play import acknowledgements
from npc_server.records import GameEvent
from npc_server.session.session import Session


def test_bench_measures_acknowledgements_of_one_and_of_many() -> None:
    one, many = acknowledgements((1, 10), messages=5)
    assert (one.events, one.messages, many.events) == (1, 5, 10)
    assert 0 < one.median_ms <= one.p99_ms
    assert many.events_per_s > 0


def test_bench_measures_the_store(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slower store shows in the figure: what is measured is not the wire alone."""
    take = Session.take

    async def slow(self: Session, epoch: int, events: Sequence[tuple[int, GameEvent]]) -> int:
        await asyncio.sleep(0.05)
        return await take(self, epoch, events)

    monkeypatch.setattr(Session, "take", slow)
    (figure,) = acknowledgements((1,), messages=3)
    assert figure.median_ms >= 50
