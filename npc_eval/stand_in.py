"""An engine without a model that measures what minds ask. Its replies are those that instinct suggests.

Prompts are rendered, cut and counted as for a model, and two days of a town take minutes, not days. A model words the same plan
differently each day, and Lifestyle Policies depend on that. So `reword` is the share of a plan's lines that get other words. It cannot
show replies that do not parse.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from npc_server.config import EngineSettings
from npc_server.errors import ModelMissing
from npc_server.llm.engine import Completion, EngineStatus, Likelihood, OnText, Request
from npc_server.llm.models import resolve
from npc_server.llm.no_model import estimate_tokens
from npc_server.llm.runtime import need_compiled
from npc_server.llm.score import cannot_score

STAND_IN = "stand-in"
"""Its name in place of a model's."""
CONTEXT = 8192
KEPT_PREFIXES = 16
"""System texts that count as cached, as the setting `engine.kept_prefixes` has it."""
FRAME_TOKENS = 8
"""Tokens of a chat template around system text and question."""
PLANS = frozenset({"plan_day", "ga_hour"})
"""Prompts whose reply lines end with an activity. Later questions depend on these."""
OTHER_WORDS = (
    "without hurry",
    "as well as it goes",
    "in good spirits",
    "with some care",
    "thoughtfully",
    "once more",
    "for a while",
    "quietly",
)


class StandIn:
    """Implements `Engine`."""

    def __init__(self, count: Callable[[Sequence[str]], list[int]] = estimate_tokens, name: str = STAND_IN, *, reword: float = 0.0) -> None:
        self._count = count
        self._reword = reword
        self._name = name
        self._kept: dict[str, None] = {}

    async def complete(self, request: Request, on_text: OnText | None = None) -> Completion:
        if not request.suggestion:
            raise ModelMissing(f"There is no suggestion for the question {request.stage!r}.", "Let instinct give a whole reply.")
        text = self._reworded(request)
        system, user, reply = self._count([request.system, request.asked, text])
        cached = system if request.system in self._kept else 0
        self._kept.pop(request.system, None)
        self._kept[request.system] = None
        if len(self._kept) > KEPT_PREFIXES:
            del self._kept[next(iter(self._kept))]
        if on_text is not None:
            on_text(text)
        return Completion(text, system + user + FRAME_TOKENS, cached, reply, 0.0)

    def _reworded(self, request: Request) -> str:
        if request.stage not in PLANS or not self._reword:
            return request.suggestion
        rng = random.Random(request.seed)
        lines = request.suggestion.split("\n")
        return "\n".join(f"{line} {rng.choice(OTHER_WORDS)}" if rng.random() < self._reword else line for line in lines)

    async def score(self, request: Request, given: str, texts: Sequence[str]) -> list[Likelihood]:
        raise cannot_score("The stand-in for a model")

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return self._count(texts)

    def status(self) -> EngineStatus:
        return EngineStatus(ready=True, model=self._name, context_tokens=CONTEXT, stands_in=True)

    def try_again(self) -> None:
        pass

    async def close(self) -> None:
        pass


def counting_stand_in(settings: EngineSettings, vocabulary: str, reword: float) -> StandIn:
    """Makes a stand-in that counts tokens with the vocabulary of a model (GGUF file or name). If empty, 4 characters are a token."""
    if not vocabulary:
        return StandIn(estimate_tokens, f"{STAND_IN}, 4 characters a token", reword=reword)
    need_compiled("Counting tokens with a model's vocabulary")
    from npc_server.llm.llama_vocab import Vocabulary

    words = Vocabulary(resolve(vocabulary, settings.models_folder), settings.max_header_bytes)
    return StandIn(words.count, f"{STAND_IN}, tokens of {words.name}", reword=reword)
