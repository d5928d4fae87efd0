"""Keeps questions from a model for which this machine has not the time, so that those that matter more are answered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache

import structlog

from npc_server.config import MindSettings
from npc_server.errors import Overloaded
from npc_server.llm.engine import Completion, Engine, EngineStatus, Likelihood, OnText, Request
from npc_server.llm.fitting_kinds import QuestionKind, all_kinds, fitting, kind_left

log = structlog.get_logger(__name__)


class FittingEngine:
    """Implements `Engine` around another one. It follows from the model's speed and the number of people which kinds are asked.

    Its status names the kinds that are left, and as `weak_at` the questions that nobody may ask. Minds go by that (`mind.answerer`). What
    is asked all the same, as the number of people has just changed, is refused.
    """

    def __init__(self, inner: Engine, settings: MindSettings, people: Callable[[], int]) -> None:
        """`people` says how many live while the clock runs. In lockstep the clock waits for them, so they do not count."""
        self.inner = inner
        self._people, self._game_speed = people, settings.game_speed
        self._asks_all = settings.asked == "all" or (settings.asked == "fitting" and settings.by_instinct is not None)
        self._for_players = settings.asked == "players"
        self._told: tuple[str, ...] = ()

    def _asked(self, status: EngineStatus) -> tuple[QuestionKind, ...]:
        if self._for_players:
            return all_kinds().kinds[:1]
        return all_kinds().kinds if self._asks_all else fitting(status.speed, self._people(), self._game_speed)

    async def complete(self, request: Request, on_text: OnText | None = None) -> Completion:
        left = all_kinds().kinds[len(self._asked(self.inner.status())) :]
        only_reads = request.max_tokens <= 1
        if not only_reads and (kind := kind_left(frozenset(_names(left)), request.stage, request.priority)):
            raise Overloaded(f"The model is not asked for {kind}.", 'Lift this with mind.asked = "all".')
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
            log.info("some kinds of question are left to instinct", model=status.model, asked=names, by_instinct=left)
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
