"""A model whose process dies over and over is given up, until somebody asks for it again."""

from __future__ import annotations

import asyncio
import os
import signal

import pytest

from npc_server.errors import EngineError, ModelDied
from npc_server.llm import process
from npc_server.llm.engine import Request
from tests.llm.conftest import StartEngine
from tests.llm.kinds import KINDS
from tests.waiting import until

pytestmark = pytest.mark.model

DIES_AT_EACH_DECODE = process._START.replace(
    "main(int(sys.argv[2]))",
    "import os; from npc_server.llm.batching import Batcher; Batcher.turn = lambda self: os._exit(7); main(int(sys.argv[2]))",
)


def ask(number: int) -> Request:
    return Request(system="You bake bread.", user=f"Question {number}", reply=KINDS["strokes"], seed=number, max_tokens=40)


async def test_a_model_that_dies_at_each_decode_is_given_up_after_five_and_says_so(
    start_engine: StartEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "_START", DIES_AT_EACH_DECODE)
    engine = start_engine(restart_wait_s=0.0)
    lives = 0
    while engine.status().model:
        await until(lambda: engine.process.ready or not engine.status().model)
        lives += await engine.count_tokens(["abcd"]) == [4]  # the vocabulary works, and is no sign of a model that does
        with pytest.raises(EngineError):
            await engine.complete(ask(lives))
        await until(lambda: not engine.process.ready)
    problem = engine.status().problem
    assert (engine.process.restarts, engine.status().ready) == (4, False)
    assert "ended 5 times in a row without finishing an answer" in problem
    assert str(engine.path) in problem
    assert str(engine.process.log_file) in problem
    assert "open a save to try this one again" in problem


async def test_nobody_waits_for_a_model_that_was_given_up(start_engine: StartEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_START", DIES_AT_EACH_DECODE)
    engine = start_engine(restart_wait_s=0.0, deaths_max=1)
    waiting = [asyncio.create_task(engine.complete(ask(number))) for number in range(20)]
    for task in waiting:
        with pytest.raises(ModelDied, match="is given up"):
            await task
    with pytest.raises(ModelDied, match="is given up"):
        await engine.complete(ask(99))
    assert engine.process.load == 0
    with pytest.raises(ProcessLookupError):
        os.kill(engine.process.pid, 0)


async def test_a_model_that_was_given_up_is_tried_again_when_asked(start_engine: StartEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    sound = process._START
    monkeypatch.setattr(process, "_START", DIES_AT_EACH_DECODE)
    engine = start_engine(restart_wait_s=0.0, deaths_max=1)
    with pytest.raises(ModelDied):
        await engine.complete(ask(1))
    await until(lambda: not engine.status().model)
    engine.try_again()  # and it dies again
    assert engine.status().model
    with pytest.raises(ModelDied, match="is given up"):
        await engine.complete(ask(2))
    monkeypatch.setattr(process, "_START", sound)
    engine.try_again()
    engine.try_again()  # twice is once
    assert (await engine.loaded()).ready
    assert (await engine.complete(ask(3))).text
    assert not engine.status().problem


async def test_an_answer_that_was_finished_begins_the_count_anew(start_engine: StartEngine) -> None:
    engine = start_engine(restart_wait_s=0.0, deaths_max=2)
    for number in range(4):
        assert (await engine.complete(ask(number))).text
        os.kill(engine.process.pid, signal.SIGKILL)
        await until(lambda number=number: engine.process.restarts > number)  # type: ignore[misc]
    assert (await engine.complete(ask(9))).text
