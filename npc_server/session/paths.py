"""How a path result reaches the mind that asked: `Paths.ask` sends a path query to the game and waits for its `PathResult`.

`Session._deliver` hands each path result of the game to `Paths.answer`, and the waiting mind goes on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from npc_server.records import MindEvent, PathQuery, PathResult, Reach

LOCKSTEP_WAITS = 24
"""Factor of the waiting time in lockstep. It only matters for a game that never answers path queries."""


class Paths:
    """The open path queries of one epoch."""

    def __init__(self, wait_s: float, put: Callable[[Sequence[MindEvent]], bool]) -> None:
        """`wait_s` is in wall seconds. `put` sends a query, and returns False if no game listens."""
        self._wait_s = wait_s
        self.is_lockstep = False
        """Whether the game waits for the minds. Minds then wait longer for the game, so that a slow machine gives the same run."""
        self._put = put
        self._waiting: dict[str, asyncio.Future[tuple[Reach, ...]]] = {}

    async def ask(self, query: PathQuery) -> tuple[Reach, ...]:
        """Asks the game, and returns its answer. The answer is empty if no game listens, or if the waiting time is over."""
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
        """Gives a path result to the mind that asked. A result that nobody waits for is dropped."""
        waiting = self._waiting.pop(result.query_id, None)
        if waiting is not None and not waiting.done():
            waiting.set_result(result.reaches)
