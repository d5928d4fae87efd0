"""A fake engine for tests, also for those of games. It gives the answers of a script, and remembers the requests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from npc_server.errors import ModelMissing
from npc_server.llm.engine import Completion, EngineStatus, Likelihood, OnText, Request
from npc_server.llm.no_model import estimate_tokens
from npc_server.llm.score import cannot_score

Answer = str | Exception
LogProb = Callable[[Request, str, str], float]
"""The log probability of a text: its request, what was given before it, and the text."""
Script = Callable[[Request], Answer] | Mapping[str, Sequence[Answer]]


@dataclass(frozen=True)
class AskedRequest:
    """A request, and its answer."""

    request: Request
    answer: Answer


class ScriptedEngine:
    """Implements `Engine`.

    `script` is a function of the request, or a list of answers for each stage, used in order. An exception in place of a text is
    raised. A stage with no answers left raises ModelMissing, as a real engine without a model would.
    """

    def __init__(
        self,
        script: Script,
        *,
        delay_s: float = 0.0,
        weak_at: Iterable[str] = (),
        memories_shown: int = 0,
        places_shown: int = 0,
        chats: bool = False,
        logprob: LogProb | None = None,
    ) -> None:
        """With `logprob` it can score texts."""
        self._ask: Callable[[Request], Answer]
        if callable(script):
            self._ask = script
        else:
            lists: dict[str, list[Answer]] = {stage: list(answers) for stage, answers in script.items()}
            self._ask = lambda request: _next(lists, request)
        self.delay_s, self.weak_at = delay_s, frozenset(weak_at)
        self.memories_shown, self.places_shown = memories_shown, places_shown
        self.chats = chats
        self.logprob = logprob
        self.asked: list[AskedRequest] = []
        self.running = 0
        self.closed = False

    @property
    def requests(self) -> list[Request]:
        return [asked.request for asked in self.asked]

    async def complete(self, request: Request, on_text: OnText | None = None) -> Completion:
        self.running += 1
        try:
            await asyncio.sleep(self.delay_s)
            answer = self._ask(request)
            self.asked.append(AskedRequest(request, answer))
            if isinstance(answer, Exception):
                raise answer
            if on_text is not None:
                for word in _words(answer):
                    on_text(word)
            prompt, reply = estimate_tokens([request.system + request.asked, answer])
            return Completion(answer, prompt, 0, reply, self.delay_s * 1000)
        finally:
            self.running -= 1

    async def score(self, request: Request, given: str, texts: Sequence[str]) -> list[Likelihood]:
        if self.logprob is None:
            raise cannot_score("A script without `logprob`")
        await asyncio.sleep(self.delay_s)
        counts = estimate_tokens(texts)
        return [Likelihood(self.logprob(request, given, text), count) for text, count in zip(texts, counts, strict=True)]

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return estimate_tokens(texts)

    def status(self) -> EngineStatus:
        return EngineStatus(
            ready=not self.closed,
            model="scripted",
            context_tokens=8192,
            running=self.running,
            weak_at=self.weak_at,
            memories_shown=self.memories_shown,
            chats=self.chats,
            places_shown=self.places_shown,
            scores=self.logprob is not None,
        )

    def try_again(self) -> None:
        pass

    async def close(self) -> None:
        self.closed = True


def _next(lists: dict[str, list[Answer]], request: Request) -> Answer:
    answers = lists.get(request.stage)
    if not answers:
        return ModelMissing(f"The script has no answer left for the stage {request.stage!r}.", "Add one.")
    return answers.pop(0)


def _words(text: str) -> Iterable[str]:
    """Yields the words of a text, each with the space before it."""
    start = 0
    for i in range(1, len(text)):
        if text[i] == " ":
            yield text[start:i]
            start = i
    if text:
        yield text[start:]
