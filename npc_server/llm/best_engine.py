"""The engine for `engine.model = "best"`: the best model on this machine that is quick enough here."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Protocol

import structlog

from npc_server.config import EngineSettings
from npc_server.errors import EngineError
from npc_server.llm.best_here import ModelHere, why_none
from npc_server.llm.engine import Completion, Engine, EngineStatus, Likelihood, OnText, Request
from npc_server.llm.no_model import NoModelEngine

LOADING = "The model is loading."
log = structlog.get_logger(__name__)


class LoadingEngine(Engine, Protocol):
    """An engine whose model loads in the background."""

    async def loaded(self) -> EngineStatus:
        """Wait until the model is ready or given up, and return the status. Its speed was measured then."""
        ...


class BestEngine:
    """Implements `Engine`. Make it inside the event loop. It starts one model after the other until one is quick enough.

    A model whose speed is known to be too low is not started. Without any, it has no model and says why.
    """

    def __init__(
        self,
        found: Sequence[ModelHere],
        left_out: Sequence[str],
        settings: EngineSettings,
        start: Callable[[ModelHere], Awaitable[LoadingEngine]],
    ) -> None:
        """`found` are the models to choose among, the best first, and `left_out` says why there are no others.

        `start` may raise EngineError.
        """
        self._settings, self._start = settings, start
        self._passed = list(left_out)
        self._inner: Engine = NoModelEngine(LOADING)
        self._choice = ""
        self._trying = found[0].entry.name if found else ""
        self._settling = asyncio.get_running_loop().create_task(self._settle(found)) if found else None
        if not found:
            self._choose_none()

    async def _settle(self, found: Sequence[ModelHere]) -> None:
        for it in found:
            self._trying = it.entry.name
            if await self._is_chosen(it):
                return
        self._choose_none()

    async def _is_chosen(self, it: ModelHere) -> bool:
        why = it.why_not(self._settings, it.speed)
        if not why:
            try:
                self._inner = engine = await self._start(it)
                status = await engine.loaded()
            except EngineError as error:
                self._passed.append(error.what.rstrip("."))
                return False
            why = it.why_not(self._settings, status.speed) if status.ready else status.problem
            if not why:
                self._choice = it.praised(status.speed)
                log.info("the best model here was chosen", choice=self._choice, passed=self._passed)
                return True
            await engine.close()
        self._passed.append(why.rstrip("."))
        return False

    def _choose_none(self) -> None:
        self._choice = why_none(self._passed)
        self._inner = NoModelEngine(self._choice)
        log.info("no model was chosen", choice=self._choice)

    async def loaded(self) -> EngineStatus:
        """Wait until a model was chosen, or none, and return the status."""
        if self._settling is not None:
            await asyncio.shield(self._settling)
        return self.status()

    async def complete(self, request: Request, on_text: OnText | None = None) -> Completion:
        return await self._inner.complete(request, on_text)

    async def score(self, request: Request, given: str, texts: Sequence[str]) -> list[Likelihood]:
        return await self._inner.score(request, given, texts)

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return await self._inner.count_tokens(texts)

    def status(self) -> EngineStatus:
        status = self._inner.status()
        if self._choice:
            return replace(status, choice=self._choice)
        return replace(status, ready=False, model=self._trying, problem=LOADING)

    def try_again(self) -> None:
        self._inner.try_again()

    async def close(self) -> None:
        if self._settling is not None:
            self._settling.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._settling
        await self._inner.close()
