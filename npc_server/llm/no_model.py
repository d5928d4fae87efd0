"""The engine without a model. It refuses every request, so that instinct answers, and its status says why there is no model."""

from __future__ import annotations

from collections.abc import Sequence

from npc_server.errors import EngineError, ModelMissing
from npc_server.llm.engine import Completion, EngineStatus, Likelihood, OnText, Request

CHARS_PER_TOKEN = 4
"""Usual for English text."""


def estimate_tokens(texts: Sequence[str]) -> list[int]:
    """Estimates the tokens of each text from its length, rounded up."""
    return [-(-len(text) // CHARS_PER_TOKEN) for text in texts]


class NoModelEngine:
    """Implements `Engine` without a model. `problem` tells the user why there is none: an error, or the first sentence of one."""

    def __init__(self, problem: EngineError | str) -> None:
        self.problem = ModelMissing(problem) if isinstance(problem, str) else problem

    async def complete(self, request: Request, on_text: OnText | None = None) -> Completion:
        raise self._refusal()

    async def score(self, request: Request, given: str, texts: Sequence[str]) -> list[Likelihood]:
        raise self._refusal()

    def _refusal(self) -> EngineError:
        return type(self.problem)(self.problem.what, self.problem.fix, **self.problem.values)

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return estimate_tokens(texts)

    def status(self) -> EngineStatus:
        return EngineStatus(ready=False, problem=str(self.problem))

    def try_again(self) -> None:
        pass

    async def close(self) -> None:
        pass
