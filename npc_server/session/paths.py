"""Path queries that wait for the game's answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from npc_server.records import MindEvent, PathQuery, PathResult, Reach


class Paths:
    """The queries of a session; an answer counts in the epoch that asked."""

    def __init__(self, wait_s: float, put: Callable[[int, Sequence[MindEvent]], bool]) -> None:
        """`put` sends the query with its epoch; False when nobody plays."""
        self._wait_s = wait_s
        self._put = put
        self._waiting: dict[tuple[int, str], asyncio.Future[tuple[Reach, ...]]] = {}

    async def ask(self, epoch: int, query: PathQuery) -> tuple[Reach, ...]:
        """The game's answer; empty when it takes longer than `mind.path_wait_s`, or nobody plays."""
        key = epoch, query.query_id
        answer: asyncio.Future[tuple[Reach, ...]] = asyncio.get_running_loop().create_future()
        self._waiting[key] = answer
        try:
            return await asyncio.wait_for(answer, self._wait_s) if self._put(epoch, [query]) else ()
        except asyncio.TimeoutError:
            return ()
        finally:
            self._waiting.pop(key, None)

    def answer(self, epoch: int, result: PathResult) -> None:
        waiting = self._waiting.pop((epoch, result.query_id), None)
        if waiting is not None and not waiting.done():
            waiting.set_result(result.reaches)
