"""Path queries: how long a mind waits for the game's answer."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from npc_server.records import MindEvent, PathQuery, PathResult, Reach
from npc_server.session.paths import LOCKSTEP_WAITS, Paths

QUERY = PathQuery("mara_voss", "q1", ("millbrook:cafe",))
FOUND = (Reach("millbrook:cafe", True, 12.0),)


def is_sent(_: Sequence[MindEvent]) -> bool:
    return True


async def test_a_game_that_does_not_answer_in_time_is_gone_on_without() -> None:
    assert await Paths(0.001, is_sent).ask(QUERY) == ()


async def test_nobody_waits_where_nobody_plays() -> None:
    assert await Paths(3600.0, lambda _: False).ask(QUERY) == ()


async def test_in_lockstep_a_slow_answer_counts_however_busy_the_machine_is(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    real = asyncio.wait_for

    async def noted(answer: asyncio.Future[tuple[Reach, ...]], wait_s: float) -> tuple[Reach, ...]:
        waits.append(wait_s)
        return await real(answer, wait_s)

    monkeypatch.setattr("npc_server.session.paths.asyncio.wait_for", noted)
    paths = Paths(20.0, is_sent)
    paths.is_lockstep = True
    asking = asyncio.create_task(paths.ask(QUERY))
    await asyncio.sleep(0)
    assert waits == [20.0 * LOCKSTEP_WAITS]
    paths.answer(PathResult("mara_voss", "q1", FOUND))
    assert await asking == FOUND
