"""Openings of saves that outlive their caller. Opening a large save takes long, and a client may hang up before it is done."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from npc_server.errors import NoSession
from npc_server.rpc.contract import SessionView
from npc_server.session.game_files import GameFiles


@dataclass(frozen=True)
class AskedSlot:
    """What a client asks for when it opens a slot."""

    slot: str
    resume_epoch: int
    discard_unsaved: bool
    files: GameFiles


@dataclass
class _Opening:
    asked: AskedSlot
    task: asyncio.Task[SessionView]
    waiting: int = 0
    """How many calls wait for it. Without any, nobody knows the session."""


class Openings:
    """The openings that are under way, or whose session nobody got, by slot. Who asks again gets that session."""

    def __init__(self, find: Callable[[str], SessionView]) -> None:
        """`find` returns an open session by its id, and raises NoSession."""
        self._find = find
        self._openings: dict[str, _Opening] = {}

    async def session(self, asked: AskedSlot, begin: Callable[[], asyncio.Task[SessionView]]) -> SessionView:
        """The session of a slot. `begin` opens it, if no opening that was given up is the same. One that differs is awaited first.

        An opening for which somebody still waits is left to them, so that two games never get one session. Raises what `begin` raises.
        """
        name = asked.slot.casefold()
        opening = self._openings.get(name)
        if opening is None or opening.waiting or not await self._serves(opening, asked):
            opening = _Opening(asked, begin())
            self._openings.setdefault(name, opening)
        await self._ended(opening)
        if self._openings.get(name) is opening:
            del self._openings[name]
        return opening.task.result()

    async def _ended(self, opening: _Opening) -> None:
        """Waits for the opening. It goes on when the waiting is cancelled."""
        opening.waiting += 1
        try:
            await asyncio.wait((opening.task,))
        finally:
            opening.waiting -= 1

    async def _serves(self, opening: _Opening, asked: AskedSlot) -> bool:
        """Whether an opening that was given up serves who asks now. It has ended if it does not."""
        if opening.asked == asked and not opening.task.done():
            return True
        await self._ended(opening)
        is_opened = not opening.task.cancelled() and opening.task.exception() is None
        if is_opened and opening.asked == asked and self._is_open(opening.task.result()):
            return True
        self._openings.pop(asked.slot.casefold(), None)
        return False

    def _is_open(self, session: SessionView) -> bool:
        with suppress(NoSession):
            return self._find(session.id) is session
        return False
