"""No model: every question is answered by instinct, and the status says why."""

from __future__ import annotations

from collections.abc import Sequence

from npc_server.errors import EngineError, ModelMissing
from npc_server.llm.engine import Completion, EngineStatus, OnText, Request

CHARS_PER_TOKEN = 4


def estimate_tokens(texts: Sequence[str]) -> list[int]:
    """Four characters a token, rounded up: usual for English text."""
    return [-(-len(text) // CHARS_PER_TOKEN) for text in texts]


class AbsentEngine:
    """Implements `Engine` by refusing. `problem` is what a user reads: an error, or a sentence."""

    def __init__(self, problem: EngineError | str) -> None:
        self.problem = ModelMissing(problem) if isinstance(problem, str) else problem

    async def complete(self, request: Request, on_text: OnText | None = None) -> Completion:
        raise type(self.problem)(self.problem.what, self.problem.fix, **self.problem.values)

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return estimate_tokens(texts)

    def status(self) -> EngineStatus:
        return EngineStatus(ready=False, problem=str(self.problem))

    def try_again(self) -> None:
        pass

    async def close(self) -> None:
        pass
