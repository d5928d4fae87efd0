"""A deadline for all questions that one task asks a model, such as all that the answer to one player's line takes.

It belongs to the task that asks and to the tasks that this one starts, as with `asyncio.timeout`. So the stages need not pass it on.
A task that waits for another's thought may shorten the deadline of that thought.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import Any

HELP_S = 5.0
"""Wall seconds that a step of a task with an end waits for what helps, whatever a model takes: embeddings, npc-answers and npc-rerank."""
_OF_TASK: ContextVar[Deadline | None] = ContextVar("deadline", default=None)
_FOR_PLAYER: ContextVar[bool] = ContextVar("for_player", default=False)


class Deadline:
    """A point in wall time until which a task waits for models. A new one never ends, until `end_at` sets an end."""

    def __init__(self) -> None:
        self.began = time.monotonic()
        self.until = math.inf
        """The end, in seconds of `time.monotonic()`."""
        self._waiting: set[asyncio.Future[None]] = set()
        self._helping = 0
        self._helped_s = self._help_began = 0.0

    @property
    def left_s(self) -> float:
        """Wall seconds until the end, negative after it."""
        return self.until - time.monotonic()

    @property
    def help_left_s(self) -> float:
        """Wall seconds for which the task still waits for help: without limit as long as it has no end."""
        if self.until == math.inf:
            return math.inf
        return HELP_S - self._helped_s - (time.monotonic() - self._help_began if self._helping else 0.0)

    def help_again(self) -> None:
        """Gives what helps its whole time again, for another step of the task."""
        self._helped_s, self._help_began = 0.0, time.monotonic()

    def end_at(self, until: float) -> None:
        """Sets the end, in seconds of `time.monotonic()`, unless it is earlier already. Running `wait_for` calls follow it too."""
        if until < self.until:
            if self.until == math.inf:
                self.help_again()
            self.until = until
            for waiting in self._waiting:
                if not waiting.done():
                    waiting.set_result(None)

    def is_over(self, *, helps: bool = False) -> bool:
        """Whether the task does not wait any more for a model, or for what `helps`."""
        return (self.help_left_s if helps else self.left_s) <= 0

    async def wait_for(self, answer: asyncio.Future[Any], limit_s: float = math.inf, *, helps: bool = False) -> bool:
        """Waits for `answer`, for at most `limit_s` wall seconds and until the deadline.

        What `helps` has the time `HELP_S` of its own: a model that takes long takes nothing from it, and it takes nothing from the model.
        Returns whether the answer came; it is not cancelled.
        """
        with self._being_helped() if helps else nullcontext():
            return await self._waited(answer, time.monotonic() + limit_s, helps)

    @contextmanager
    def _being_helped(self) -> Iterator[None]:
        """Counts the time of a `with` block, and that of blocks at the same time once."""
        if not self._helping:
            self._help_began = time.monotonic()
        self._helping += 1
        try:
            yield
        finally:
            self._helping -= 1
            if not self._helping:
                self._helped_s += time.monotonic() - self._help_began

    async def _waited(self, answer: asyncio.Future[Any], end: float, helps: bool) -> bool:
        while not answer.done() and (left := min(end - time.monotonic(), self.help_left_s if helps else self.left_s)) > 0:
            shortened = asyncio.get_running_loop().create_future()
            self._waiting.add(shortened)
            try:
                await asyncio.wait({answer, shortened}, timeout=left if left < math.inf else None, return_when=asyncio.FIRST_COMPLETED)
            finally:
                self._waiting.discard(shortened)
        return answer.done()


def current_deadline() -> Deadline:
    """Returns the deadline of the running task, or a new one without end when it has none."""
    return _OF_TASK.get() or Deadline()


@contextmanager
def under_deadline(with_: Deadline) -> Iterator[Deadline]:
    """Gives this task, and the tasks that it starts, a deadline for the time of a `with` block."""
    token = _OF_TASK.set(with_)
    try:
        yield with_
    finally:
        _OF_TASK.reset(token)


def without_deadline() -> AbstractContextManager[Deadline]:
    """Gives the tasks that are started in a `with` block no deadline: many share what they make, and not only who asked first."""
    return under_deadline(Deadline())


@contextmanager
def at_most(seconds: float) -> Iterator[Deadline]:
    """Limits how many wall seconds this task, for which a player waits, waits for models in a `with` block, over all its questions."""
    mine = Deadline()
    mine.end_at(time.monotonic() + seconds)
    token = _FOR_PLAYER.set(True)
    try:
        with under_deadline(mine):
            yield mine
    finally:
        _FOR_PLAYER.reset(token)


def is_for_player() -> bool:
    """Whether a player waits for the running task (`at_most`), so that what it asks goes before all others' questions."""
    return _FOR_PLAYER.get()
