"""Path queries that wait for the game's answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from npc_server.records import MindEvent, PathQuery, PathResult, Reach

LOCKSTEP_WAITS = 24
"""So many times as long in lockstep. It only ends the wait for a game that answers no path queries at all."""


class Paths:
    """The queries of one epoch: an answer counts in the epoch that asked."""

    def __init__(self, wait_s: float, put: Callable[[Sequence[MindEvent]], bool]) -> None:
        """`put` sends the query; False when nobody plays."""
        self._wait_s = wait_s
        self.is_lockstep = False
        """Whether the game waits for the minds: then they wait for the game, so that a busy machine changes no life."""
        self._put = put
        self._waiting: dict[str, asyncio.Future[tuple[Reach, ...]]] = {}

    async def ask(self, query: PathQuery) -> tuple[Reach, ...]:
        """The game's answer; empty when nobody plays, or it takes longer than `mind.path_wait_s`, in lockstep LOCKSTEP_WAITS times that."""
        wait_s = self._wait_s * (LOCKSTEP_WAITS if self.is_lockstep else 1)
        answer: asyncio.Future[tuple[Reach, ...]] = asyncio.get_running_loop().create_future()
        self._waiting[query.query_id] = answer
        try:
            return await asyncio.wait_for(answer, wait_s) if self._put([query]) else ()
        except asyncio.TimeoutError:
            return ()
        finally:
            self._waiting.pop(query.query_id, None)

    def answer(self, result: PathResult) -> None:
        waiting = self._waiting.pop(result.query_id, None)
        if waiting is not None and not waiting.done():
            waiting.set_result(result.reaches)
