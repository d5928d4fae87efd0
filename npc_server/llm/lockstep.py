"""Lockstep: requests reach the model in waves, which have the same requests in the same order in every run.

The requests of a batch can change the last digits of each other's logits, and so a reply. So a request is held until every active task
waits for the model. Then all held requests go at once, sorted. The next wave starts after the last answer.

What takes longer in one run than in the next, such as vectors that may be in a cache, is waited for by `in_turn`. Then the tasks go on
in the same order in both.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import AsyncIterator, Awaitable, Sequence
from contextvars import ContextVar, Token
from dataclasses import dataclass, field, replace
from typing import TypeVar

from npc_server.errors import DeadlinePassed, ModelDied
from npc_server.llm.deadline import current_deadline
from npc_server.llm.engine import Completion, Engine, EngineStatus, Likelihood, OnText, Request

T = TypeVar("T")


@dataclass(eq=False)
class _Task:
    """One thought. It waits when it has requests or turns, and none of them is being answered."""

    waves: WaveEngine
    number: int
    """Tasks are numbered in the order in which they begin."""
    turns: itertools.count[int] = field(default_factory=itertools.count)
    """Numbers the calls of `in_turn`."""
    pending: int = 0
    """Requests and turns that are held."""
    flying: int = 0
    """Requests that are with the model, and turns whose result is not there yet."""
    away: int = 0
    """How many of its parts wait for something other than the model."""


@dataclass(eq=False)
class _Held:
    """A request that waits for the next wave."""

    request: Request
    arrival: int
    task: _Task
    go: asyncio.Future[None] = field(repr=False)


@dataclass(eq=False)
class _HeldTurn:
    """A task that goes on at the next point at which all others wait, too."""

    task: _Task
    number: int
    go: asyncio.Future[None] = field(repr=False)


_CURRENT: ContextVar[_Task | None] = ContextVar("wave_task", default=None)


async def in_turn(work: Awaitable[T]) -> T:
    """Returns what comes of `work`. In a `WaveEngine.task()` it does so only when every active task waits, and then in their order.

    So what happens does not depend on how long `work` takes, nor on whether it takes any time at all.
    """
    task = _CURRENT.get()
    return await work if task is None else await task.waves.turn(task, work)


class WaveEngine:
    """Implements `Engine` around another one. Requests from outside a `task()` pass straight through.

    Requests of a wave have the deadline `deadline_s` in place of their own. It is long where a slow machine must not change what happens.
    """

    def __init__(self, inner: Engine, *, deadline_s: float = 3600.0) -> None:
        self.inner, self.deadline_s = inner, deadline_s
        self._tasks: set[_Task] = set()
        self._held: list[_Held] = []
        self._turns: list[_HeldTurn] = []
        self._arrivals: dict[str, itertools.count[int]] = {}
        self._numbers = itertools.count()
        self._checking = False

    @contextlib.asynccontextmanager
    async def task(self) -> AsyncIterator[None]:
        """In this `with` block the wave waits until the task asks or leaves. Tasks that it starts there belong to it."""
        token = self.enter()
        try:
            yield
        finally:
            self.leave(token)

    def enter(self) -> Token[_Task | None]:
        """Begins what `task()` does. Give what it returns to `leave`."""
        task = _Task(self, next(self._numbers))
        self._tasks.add(task)
        return _CURRENT.set(task)

    def leave(self, token: Token[_Task | None]) -> None:
        """Ends what `enter` began."""
        task = _CURRENT.get()
        _CURRENT.reset(token)
        if task is not None:
            self._tasks.discard(task)
        self._look()

    @contextlib.asynccontextmanager
    async def away(self) -> AsyncIterator[None]:
        """In this `with` block the wave does not wait for the task, because it waits for something else, such as another task."""
        task = self._current()
        if task is None:
            yield
            return
        task.away += 1
        self._look()
        try:
            yield
        finally:
            task.away -= 1

    def _current(self) -> _Task | None:
        """The running task, if it is one of this engine."""
        task = _CURRENT.get()
        return task if task is not None and task.waves is self else None

    async def turn(self, task: _Task, work: Awaitable[T]) -> T:
        """Does what `in_turn` does, for one of this engine's tasks."""
        turn = _HeldTurn(task, next(task.turns), asyncio.get_running_loop().create_future())
        task.flying += 1
        try:
            result = await work
            task.pending += 1
            self._turns.append(turn)
        finally:
            task.flying -= 1
            self._look()
        try:
            await current_deadline().wait_for(turn.go)
        finally:
            if turn in self._turns:  # it was cancelled, or a player waits for it no longer
                self._turns.remove(turn)
                task.pending -= 1
                self._look()
        return result

    async def complete(self, request: Request, on_text: OnText | None = None) -> Completion:
        async with self._in_wave(request) as asked:
            return await self.inner.complete(asked, on_text)

    async def score(self, request: Request, given: str, texts: Sequence[str]) -> list[Likelihood]:
        async with self._in_wave(request) as asked:
            return await self.inner.score(asked, given, texts)

    @contextlib.asynccontextmanager
    async def _in_wave(self, request: Request) -> AsyncIterator[Request]:
        """Waits until the wave of a request starts, and returns the request as it should be asked in this `with` block."""
        task = self._current()
        if task is None:
            yield request
            return
        arrival = next(self._arrivals.setdefault(request.npc, itertools.count()))
        held = _Held(request, arrival, task, asyncio.get_running_loop().create_future())
        self._held.append(held)
        task.pending += 1
        self._look()
        try:
            if not await current_deadline().wait_for(held.go):
                raise DeadlinePassed("The deadline of the request passed before its wave started.", "Raise engine.player_deadline_s.")
            held.go.result()
            yield replace(request, deadline_s=self.deadline_s)
        finally:
            if held in self._held:  # it was cancelled, or its deadline passed
                self._held.remove(held)
                task.pending -= 1
            else:
                task.flying -= 1
            self._look()

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return await self.inner.count_tokens(texts)

    def status(self) -> EngineStatus:
        status = self.inner.status()
        return replace(status, waiting=status.waiting + len(self._held)) if self._held else status

    def try_again(self) -> None:
        self.inner.try_again()

    async def close(self) -> None:
        for held in self._held:
            if not held.go.done():
                held.go.set_exception(ModelDied("The engine was closed.", "Start the server again."))
        await self.inner.close()

    def _look(self) -> None:
        """Starts the next turn or wave if nobody thinks any more. It checks that after everything that can run now has run."""
        if not self._checking:
            self._checking = True
            asyncio.get_running_loop().call_soon(self._launch)

    def _launch(self) -> None:
        self._checking = False
        if not (self._held or self._turns) or any(task.flying or not (task.pending or task.away) for task in self._tasks):
            return
        if self._turns:
            self._take_turns()
            return
        wave = sorted(self._held, key=lambda held: (held.request.npc, held.request.stage, held.arrival))
        self._held = []
        for held in wave:
            held.task.pending -= 1
            held.task.flying += 1
            # The tasks wake in this order in one turn of the event loop, so their requests go in one frame to the model process.
            if not held.go.done():
                held.go.set_result(None)

    def _take_turns(self) -> None:
        turns, self._turns = sorted(self._turns, key=lambda turn: (turn.task.number, turn.number)), []
        for turn in turns:
            turn.task.pending -= 1
            if not turn.go.done():
                turn.go.set_result(None)
