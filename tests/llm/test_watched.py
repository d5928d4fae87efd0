"""When no answer of a model can be used, its status says so, until one can."""

from __future__ import annotations

from contextlib import suppress

import pytest
import structlog
from structlog.testing import capture_logs

from npc_server.errors import EngineError, ModelDied, ModelMissing
from npc_server.llm.deadline import at_most
from npc_server.llm.engine import Request
from npc_server.llm.reply import Choice, one
from npc_server.llm.scripted import Answer, ScriptedEngine
from npc_server.llm.watched import IN_A_ROW, WatchedEngine
from tests.llm.kinds import KINDS, Act

THOUGHT = ModelDied("qwen3:4b sent a thought without an answer.", "Take a model that answers at once.")
GOOD = "Good morning."


def watched(*answers: Answer) -> WatchedEngine:
    left = list(answers)
    return WatchedEngine(ScriptedEngine(lambda request: left.pop(0)))


async def asked(engine: WatchedEngine, times: int = 1) -> None:
    for _ in range(times):
        with suppress(EngineError):
            await engine.complete(Request("You are Mara.", "Well?", KINDS["text"], 1))


async def test_three_answers_in_a_row_that_do_not_come_are_told_once_until_one_comes() -> None:
    engine = watched(*[THOUGHT] * (IN_A_ROW + 2), GOOD)
    structlog.reset_defaults()  # a command that ran before may log warnings alone
    with capture_logs() as logs:
        await asked(engine, IN_A_ROW - 1)
        assert engine.status().problem == ""
        await asked(engine, 3)
        status = engine.status()
        await asked(engine)
    assert (status.ready, status.model) == (True, "scripted")
    assert "The last 3 answers of scripted could not be used" in status.problem
    assert "Take a model that answers at once." in status.problem
    assert [it["log_level"] for it in logs] == ["warning", "info"]
    assert engine.status().problem == ""


async def test_a_reply_that_nobody_can_read_is_of_no_use() -> None:
    engine = watched(*["nonsense"] * IN_A_ROW)
    for _ in range(IN_A_ROW):
        await engine.complete(Request("You are Mara.", "Well?", one(Act, place=Choice(("home|bed",))), 1))
    assert "could not be used" in engine.status().problem


async def test_one_good_answer_among_bad_ones_is_enough() -> None:
    engine = watched(THOUGHT, THOUGHT, GOOD, THOUGHT, THOUGHT)
    await asked(engine, 5)
    assert engine.status().problem == ""


@pytest.mark.parametrize("late", [True, False])
async def test_what_the_model_was_not_asked_is_no_fault_of_it(late: bool) -> None:
    engine = watched(*[THOUGHT if late else ModelMissing("There is none.", "Set one.")] * IN_A_ROW)
    with at_most(-1.0 if late else 3600.0):
        await asked(engine, IN_A_ROW)
    assert engine.status().problem == ""
