from __future__ import annotations

import contextlib

import pytest

from npc_eval.benchmarks.apart import CountingEngine
from npc_eval.benchmarks.soak import soak
from npc_server.config import EngineSettings
from npc_server.errors import EngineError, ModelDied
from npc_server.llm.engine import Completion, OnText, Request
from npc_server.llm.no_model import NoModelEngine
from tests.in_the_box import MODEL, needs_model
from tests.llm.kinds import KINDS


class Moody(NoModelEngine):
    """Answers every second request."""

    asked = 0

    async def complete(self, request: Request, on_text: OnText | None = None) -> Completion:
        self.asked += 1
        if self.asked % 2:
            raise ModelDied("It died.", "Start it again.")
        return Completion("3", 100, 40, 7, 1.0)


async def test_the_counting_engine_counts_answers_tokens_and_failures() -> None:
    engine = CountingEngine(Moody("nothing"))
    for _ in range(6):
        with contextlib.suppress(EngineError):
            await engine.complete(Request("You are Mara.", "How important is it?", KINDS["integer"], 1))
    assert (engine.answers, engine.failures, engine.prompt_tokens, engine.reply_tokens) == (3, 3, 300, 21)


@pytest.mark.model
@pytest.mark.slow
@needs_model
def test_after_a_short_soak_nothing_is_stuck_and_the_ledger_is_the_engines() -> None:
    found = soak(EngineSettings(), str(MODEL), 0.3, "millbrook", 20.0)
    assert found.events > 100
    assert found.answers > 0
    assert (found.stuck, found.ledger_is_equal) == (0, True)
