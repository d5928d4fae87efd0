from __future__ import annotations

import asyncio
import math
import time

import pytest

from npc_server.errors import DeadlinePassed
from npc_server.llm import deadline
from npc_server.llm.deadline import Deadline, at_most, current_deadline, under_deadline
from npc_server.llm.engine import Request
from npc_server.llm.lockstep import WaveEngine
from npc_server.llm.scripted import ScriptedEngine
from tests.llm.kinds import KINDS


def never() -> asyncio.Future[str]:
    return asyncio.get_running_loop().create_future()


async def test_who_has_no_patience_of_their_own_waits_as_long_as_it_takes() -> None:
    answer = never()
    waiting = asyncio.create_task(current_deadline().wait_for(answer))
    await asyncio.sleep(0)
    answer.set_result("yes")
    assert await waiting


async def test_patience_ends_with_its_limit_and_leaves_the_answer_alone() -> None:
    answer = never()
    assert not await Deadline().wait_for(answer, 0.01)
    with at_most(0.01):
        assert not await current_deadline().wait_for(answer)
        assert not await current_deadline().wait_for(answer), "and stays at an end"
    assert not answer.cancelled()


async def test_all_that_a_task_starts_has_the_patience_of_that_task() -> None:
    async def left() -> float:
        return current_deadline().left_s

    with at_most(3600.0) as mine:
        found = await asyncio.gather(left(), left())
    assert all(0 < each <= 3600 for each in found)
    assert current_deadline() is not mine


async def test_another_may_shorten_it_and_nobody_may_lengthen_it() -> None:
    mine = Deadline()

    async def waits() -> bool:
        with under_deadline(mine):
            return await current_deadline().wait_for(never())

    waiting = asyncio.create_task(waits())
    await asyncio.sleep(0)
    mine.end_at(time.monotonic())
    mine.end_at(time.monotonic() + 3600)
    assert not await waiting


async def test_who_is_held_in_a_wave_gets_no_answer_once_patience_is_at_an_end() -> None:
    engine = WaveEngine(ScriptedEngine(lambda request: "4"))
    request = Request(system="", user="x", reply=KINDS["text"], seed=1)
    mine = Deadline()
    async with engine.task():
        # The wave waits for this task, which asks nothing.
        async def asks() -> None:
            async with engine.task():
                with under_deadline(mine):
                    await engine.complete(request)

        asking = asyncio.create_task(asks())
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        mine.end_at(time.monotonic())
        with pytest.raises(DeadlinePassed):
            await asking
    assert engine.status().waiting == 0


async def test_what_helps_has_time_of_its_own_from_when_there_is_an_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(deadline, "HELP_S", 0.02)
    mine = Deadline()
    assert mine.help_left_s == math.inf
    answer = never()
    waiting = [asyncio.create_task(mine.wait_for(answer, helps=True)) for _ in range(2)]
    await asyncio.sleep(0)
    mine.end_at(time.monotonic() - 1.0)
    assert mine.is_over()
    assert not mine.is_over(helps=True)
    assert await asyncio.gather(*waiting) == [False, False]
    assert mine.is_over(helps=True)
    mine.help_again()
    assert not mine.is_over(helps=True)
