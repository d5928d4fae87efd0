"""When no answer of a model can be used, its status says so, until one can."""

from __future__ import annotations

import asyncio
import math
import time
from contextlib import suppress
from dataclasses import replace

import pytest
import structlog
from structlog.testing import capture_logs

from npc_server.errors import EngineError, ModelDied, ModelMissing
from npc_server.llm.deadline import Deadline, at_most
from npc_server.llm.engine import Completion, EngineStatus, OnText, Priority, Request
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


class Slow(ScriptedEngine):
    """Never comes to an end, and says this first, if anything."""

    def __init__(self, first: str, first_word_s: float) -> None:
        super().__init__(lambda request: "never")
        self.first, self.first_word_s = first, first_word_s

    async def complete(self, request: Request, on_text: OnText | None = None) -> Completion:
        if self.first and on_text is not None:
            on_text(self.first)
        await asyncio.Event().wait()
        raise AssertionError

    def status(self) -> EngineStatus:
        return replace(super().status(), first_word_s=self.first_word_s)


@pytest.mark.parametrize(
    ("first", "is_late", "had_s", "priority", "is_told"),
    [
        ("", True, 0.0, Priority.PLAYER, True),
        ("Good", True, 0.0, Priority.PLAYER, False),
        ("", False, 0.0, Priority.PLAYER, False),
        ("", True, 3600.0, Priority.PLAYER, False),
        ("", True, 0.0, Priority.USUAL, False),
    ],
)
async def test_a_line_that_had_time_to_begin_and_did_not_is_of_no_use(
    first: str, is_late: bool, had_s: float, priority: Priority, is_told: bool
) -> None:
    """`had_s` is of what the model should have had the half."""
    engine = WatchedEngine(Slow(first, had_s))
    by = Deadline()
    by.end_at(time.monotonic() if is_late else math.inf)
    line = Request("You are Mara.", "Well?", KINDS["text"], 1, priority=priority, one_line=True, first_word_by=by)
    for _ in range(IN_A_ROW):
        asking = asyncio.ensure_future(engine.complete(line, lambda text: None))
        await asyncio.sleep(0)
        asking.cancel()
        with suppress(asyncio.CancelledError):
            await asking
    assert ("It did not begin to speak within 0 s." in engine.status().problem) is is_told
