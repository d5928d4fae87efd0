"""Keeps questions from a model for which this machine has not the time, so that those that matter more are answered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache

import structlog

from npc_server.config import MindSettings
from npc_server.errors import Overloaded
from npc_server.llm.engine import Completion, Engine, EngineStatus, Likelihood, OnText, Priority, Request
from npc_server.llm.fitting_kinds import QuestionKind, all_kinds, fitting

log = structlog.get_logger(__name__)


class FittingEngine:
    """Implements `Engine` around another one. It follows from the model's speed and the number of people which kinds are asked.

    Kinds that nobody may ask are in the status as `weak_at`. Others are refused to those for whom there is no time. What a player waits
    for is always asked.
    """

    def __init__(self, inner: Engine, settings: MindSettings, people: Callable[[], int]) -> None:
        """`people` says how many live while the clock runs. In lockstep the clock waits for them, so they do not count."""
        self.inner = inner
        self._people, self._game_speed = people, settings.game_speed
        self._asks_all = settings.asked == "all" or settings.by_instinct is not None
        self._told: tuple[str, ...] = ()

    def _asked(self, status: EngineStatus) -> tuple[QuestionKind, ...]:
        return all_kinds().kinds if self._asks_all else fitting(status.speed, self._people(), self._game_speed)

    async def complete(self, request: Request, on_text: OnText | None = None) -> Completion:
        is_small = request.priority == Priority.PLAYER or request.max_tokens <= 1  # the latter only reads ahead
        if not is_small and (kind := _left(self._asked(self.inner.status()), request.stage, request.priority)):
            raise Overloaded(f"This machine has no time to ask the model for {kind}.", 'Lift this with mind.asked = "all".')
        return await self.inner.complete(request, on_text)

    async def score(self, request: Request, given: str, texts: Sequence[str]) -> list[Likelihood]:
        return await self.inner.score(request, given, texts)

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return await self.inner.count_tokens(texts)

    def status(self) -> EngineStatus:
        status = self.inner.status()
        asked = self._asked(status)
        names, left = _names(asked), _names(all_kinds().kinds[len(asked) :])
        if not left:
            return status
        told = replace(status, kinds=names, kinds_left=left, weak_at=status.weak_at | _asked_by_nobody(asked))
        if left != self._told:
            self._told = left
            log.info("this machine has no time for some kinds of question", model=status.model, asked=names, by_instinct=left)
        return told

    def try_again(self) -> None:
        self.inner.try_again()

    async def close(self) -> None:
        await self.inner.close()


@lru_cache(maxsize=16)
def _names(kinds: Sequence[QuestionKind]) -> tuple[str, ...]:
    return tuple(kind.name for kind in kinds)


@lru_cache(maxsize=16)
def _asked_by_nobody(asked: Sequence[QuestionKind]) -> frozenset[str]:
    some = frozenset[str]().union(*(kind.questions for kind in asked))
    return frozenset[str]().union(*(kind.questions for kind in all_kinds().kinds)) - some


@lru_cache(maxsize=256)
def _left(asked: Sequence[QuestionKind], question: str, priority: Priority) -> str:
    """The kind of a question for which there is no time; empty where there is, or where no kind has it."""
    kinds = [kind for kind in all_kinds().kinds if question in kind.questions and priority <= kind.up_to]
    return "" if not kinds or any(kind in asked for kind in kinds) else kinds[0].name
