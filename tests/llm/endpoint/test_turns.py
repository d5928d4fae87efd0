from __future__ import annotations

import asyncio

import pytest

from npc_server.errors import Overloaded
from npc_server.llm.endpoint.turns import Turns
from npc_server.llm.engine import Priority


def counts(turns: Turns) -> tuple[int, int]:
    return turns.running, turns.waiting


async def hold(turns: Turns, end: asyncio.Event) -> None:
    async with turns.turn(Priority.USUAL):
        await end.wait()


async def test_who_waits_is_counted_until_it_is_let_in_or_leaves() -> None:
    turns, end = Turns(2, 10), asyncio.Event()  # one of the two places is kept for players
    tasks = [asyncio.create_task(hold(turns, end)) for _ in range(4)]
    await asyncio.sleep(0)
    assert counts(turns) == (1, 3)
    tasks[2].cancel()
    await asyncio.wait([tasks[2]])
    assert counts(turns) == (1, 2)
    tasks[0].cancel()
    await asyncio.wait([tasks[0]])
    assert counts(turns) == (1, 1)
    end.set()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert counts(turns) == (0, 0)


async def test_who_leaves_at_the_moment_it_is_let_in_frees_its_place() -> None:
    turns, end = Turns(1, 10), asyncio.Event()
    first, second = (asyncio.create_task(hold(turns, end)) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.sleep(0)
    second.cancel()
    await asyncio.gather(first, second, return_exceptions=True)
    assert counts(turns) == (0, 0)


async def test_more_than_the_queue_holds_are_refused_and_not_counted() -> None:
    turns, end = Turns(1, 1), asyncio.Event()
    tasks = [asyncio.create_task(hold(turns, end)) for _ in range(2)]
    await asyncio.sleep(0)
    with pytest.raises(Overloaded):
        await hold(turns, end)
    assert counts(turns) == (1, 1)
    end.set()
    await asyncio.gather(*tasks)
    assert counts(turns) == (0, 0)
