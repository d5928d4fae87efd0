"""Lets the model read everybody whom a player may talk with, as long as nothing else is to be done: later their talks begin at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from npc_server.config import MindSettings
from npc_server.lines import read_ahead
from npc_server.llm.engine import Engine
from npc_server.mind.mind import Mind
from npc_server.records import GameTime


class PeopleReader:
    """Reads the people of an epoch once, one after the other, from when the model is ready."""

    def __init__(self, engine: Engine, minds: Callable[[], Sequence[Mind]], settings: MindSettings) -> None:
        self._engine, self._minds = engine, minds
        self._is_over = settings.asked == "players"  # somebody talks with one person, and may never meet the others
        self._task: asyncio.Task[None] | None = None

    def go_on(self, now: GameTime) -> None:
        """Begin to read as soon as there is a model that keeps what it has read. It is called with each tick of the clock."""
        if self._is_over or self._task is not None:
            return
        status = self._engine.status()
        if status.ready and status.keeps_states:
            self._task = asyncio.create_task(self._read(now), name="read people")

    async def _read(self, now: GameTime) -> None:
        for mind in self._minds():
            await read_ahead.read_person(mind, now)
        self._is_over = True

    async def stop(self) -> None:
        """Stop for good. What was read stays."""
        self._is_over = True
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})
