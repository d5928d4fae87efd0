"""The model process killed, many times, at seeded moments."""

from __future__ import annotations

import asyncio
import os
import random
import signal

import pytest

from npc_server.errors import ModelDied
from npc_server.llm import process
from npc_server.llm.engine import Request
from tests.llm.conftest import StartEngine
from tests.llm.kinds import KINDS
from tests.waiting import LIMIT_S, until


@pytest.mark.model
@pytest.mark.kill
@pytest.mark.parametrize("kills", [30, pytest.param(100, marks=pytest.mark.slow)])
async def test_kills_cost_running_replies_and_nothing_else(start_engine: StartEngine, monkeypatch: pytest.MonkeyPatch, kills: int) -> None:
    """Four askers ask on while the process is killed. Each question ends: in a reply that parses, or in ModelDied."""
    # On a busy machine many lives end before their first answer, and the wait before the next would double to 30 s.
    monkeypatch.setattr(process, "MAX_RESTART_WAIT_S", 0.05)
    engine = start_engine(restart_wait_s=0.0, max_parallel=3, deaths_max=kills + 1)
    await engine.loaded()
    moments = random.Random(7)
    stop = asyncio.Event()
    answered = died = 0

    async def asks(name: int) -> None:
        nonlocal answered, died
        number = 0
        while not stop.is_set():
            number += 1
            kind = KINDS["strokes"]
            request = Request(system=f"You are person {name}. " * 10, user=f"Question {number}", reply=kind, seed=number, max_tokens=400)
            try:
                done = await engine.complete(request)
            except ModelDied:
                died += 1
            else:
                kind.parse(done.text)
                answered += 1

    askers = [asyncio.create_task(asks(name)) for name in range(4)]
    for kill in range(kills):
        while not engine.process.ready or engine.process.restarts < kill:
            await asyncio.sleep(0.005)
        before = answered
        if kill % 4 == 0:  # however slow the machine is, a quarter of the kills come after an answer
            await until(lambda before=before: answered > before)  # type: ignore[misc]
        await asyncio.sleep(moments.random() * 0.15)
        os.kill(engine.process.pid, signal.SIGKILL)
    while engine.process.restarts < kills:
        await asyncio.sleep(0.01)
    stop.set()
    await asyncio.wait_for(asyncio.gather(*askers), LIMIT_S)
    assert engine.status().restarts == kills
    assert engine.status().ready
    assert answered >= kills / 4
    assert 0 < died <= 3 * kills, "at most those that ran"
