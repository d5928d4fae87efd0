"""Recording what a model was asked and what it replied, case by case, and when to give up a model that keeps crashing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from npc_server.errors import EngineError, ModelDied
from npc_server.llm.engine import Completion, Engine, EngineStatus, Likelihood, OnText, Request

DEATHS = 4
"""Crashes of the model process in a row, without a reply in between, after which nothing more is asked."""


@dataclass
class Health:
    """Crashes of the model process, over all cases."""

    deaths: int = 0
    in_a_row: int = 0
    _life: int = -1

    def died(self, life: int) -> None:
        """Called for every lost question. One crash loses many."""
        if life != self._life:
            self._life = life
            self.deaths += 1
            self.in_a_row += 1

    @property
    def given_up(self) -> bool:
        return self.in_a_row >= DEATHS


@dataclass(frozen=True)
class ModelExchange:
    """A question and its reply. `done` is None when the model gave none."""

    request: Request
    done: Completion | None
    problem: str = ""


@dataclass
class RecordingEngine:
    """Implements `Engine` around another, for one case. Keeps all exchanges; with `free` it asks without the grammar."""

    engine: Engine
    health: Health
    free: bool = False
    exchanges: list[ModelExchange] = field(default_factory=list)

    async def complete(self, request: Request, on_text: OnText | None = None) -> Completion:
        if self.free:
            request = replace(request, free=True)
        if self.health.given_up:
            raise ModelDied(f"The model process ended {DEATHS} times, one after the other.", "Nothing more is asked of it.")
        try:
            done = await self.engine.complete(request, on_text)
        except EngineError as error:
            if isinstance(error, ModelDied):
                self.health.died(self.engine.status().restarts)
            self.exchanges.append(ModelExchange(request, None, error.what))
            raise
        self.health.in_a_row = 0
        self.exchanges.append(ModelExchange(request, done))
        return done

    async def score(self, request: Request, given: str, texts: Sequence[str]) -> list[Likelihood]:
        return await self.engine.score(request, given, texts)

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return await self.engine.count_tokens(texts)

    def status(self) -> EngineStatus:
        """Ready even while the process restarts, so that questions wait for it and are not left to instinct."""
        status = self.engine.status()
        restarting = not status.ready and bool(status.model) and not self.health.given_up
        return replace(status, ready=True) if restarting else status

    def try_again(self) -> None:
        self.engine.try_again()

    async def close(self) -> None:
        """Does nothing, since the engine belongs to the caller."""

    @property
    def reply(self) -> str:
        """The model's last reply."""
        return next((it.done.text for it in reversed(self.exchanges) if it.done is not None), "")

    @property
    def shown(self) -> str:
        """The text of all prompts."""
        return "\n".join(f"{it.request.system}\n{it.request.user}" for it in self.exchanges)
