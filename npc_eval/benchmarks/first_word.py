"""Measures how long a player waits for the first word of an answer, while nobody else thinks and while everybody does.

Both by turns in one run, so that only the ratio of the two counts: other work on the machine slows both.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import numpy as np

from npc_eval.benchmarks.loaded import DEADLINE_S, file_or_random_model, loaded_engine
from npc_eval.benchmarks.texts import about, tokens_a_word
from npc_server.config import EngineSettings
from npc_server.errors import EngineError
from npc_server.llm.engine import Engine, OnText, Priority, Request
from npc_server.llm.reply import Text, many, one
from npc_server.llm.streamed_words import SpokenWords

MINDS = 25
TALKS, LINES = 8, 5
"""Number of talks with and without others thinking, and of the player's lines in each."""
SYSTEM_TOKENS, USER_TOKENS = 250, 250
"""Tokens like those in the prompt of a line: the identity, and the memories with the dialogue."""
THOUGHT_TOKENS, ANSWER_TOKENS = 60, 40


@dataclass(frozen=True)
class _Verse:
    text: Annotated[str, Text(200)]


@dataclass(frozen=True)
class _FirstWords:
    say: Annotated[str, Text(200)]
    then: Annotated[str, Text(20)]


_THOUGHT, _ANSWER = many(_Verse, 20, 20), one(_FirstWords)
Ask = Callable[[int, int, OnText], Awaitable[object]]
"""Says a line. The arguments are the number of the talk, that of the line, and a callback for the words of the answer."""


@dataclass(frozen=True)
class FirstWords:
    """Seconds from a player's line to the first streamed word of its answer, and to its end."""

    where: str
    """`engine` is one request. `town` is a line to a person in a session with 25 people."""
    minds: int
    """How many others think at the same time."""
    lines: int
    p50_s: float
    p95_s: float
    ratio_p50: float
    """Factor relative to the same wait while nobody thinks."""
    ratio_p95: float
    answer_s: float
    """Median of the whole answer."""
    ratio_answer: float
    others_tokens_per_s: float
    """What the others' finished thoughts took meanwhile, prompts (without what was kept) and replies."""


@dataclass
class _Waits:
    first: list[float] = field(default_factory=list)
    whole: list[float] = field(default_factory=list)
    wall_s: float = 0.0

    async def add(self, say: Callable[[OnText], Awaitable[object]]) -> None:
        heard: list[float] = []

        def words(text: str) -> None:
            if text.strip():
                heard.append(time.perf_counter())

        began = time.perf_counter()
        await say(words)
        ended = time.perf_counter()
        self.first.append((heard[0] if heard else ended) - began)
        self.whole.append(ended - began)


def bench_first_word(
    settings: EngineSettings, model_path: Path | None = None, *, minds: int = MINDS, talks: int = TALKS, lines: int = LINES
) -> list[FirstWords]:
    """Runs the benchmark, with a random model of about 16 million parameters if none is given.

    Raises EngineError if the model cannot be run. Must not be called inside an event loop.
    """
    with file_or_random_model(model_path) as path:
        return asyncio.run(_of_engine(settings, path, minds, talks, lines))


async def _of_engine(settings: EngineSettings, path: Path, minds: int, talks: int, lines: int) -> list[FirstWords]:
    async with loaded_engine(path, settings, player_deadline_s=DEADLINE_S) as engine:
        thinking = _Thinking(engine, minds, await tokens_a_word(engine))

        async def say(talk: int, line: int, on_text: OnText) -> None:
            user = about(USER_TOKENS, thinking.per_word, f"line {line} of talk {talk}")
            system = about(SYSTEM_TOKENS, thinking.per_word, f"person {talk} who is spoken to")
            request = Request(system, user, _ANSWER, line, max_tokens=ANSWER_TOKENS, priority=Priority.PLAYER)
            await engine.complete(request, SpokenWords(on_text, "say: ").feed)

        return await _by_turns("engine", say, thinking.going_on, lambda: thinking.tokens, minds, talks, lines)


@dataclass
class _Thinking:
    """Others who ask one question after another. Each has its own system text, as people have."""

    engine: Engine
    minds: int
    per_word: float
    tokens: int = 0
    """Tokens that were computed for finished answers."""
    finished: asyncio.Event = field(default_factory=asyncio.Event)

    @asynccontextmanager
    async def going_on(self) -> AsyncIterator[None]:
        self.finished.clear()
        tasks = [asyncio.create_task(self._think(n)) for n in range(self.minds)]
        try:
            await self.finished.wait()  # By then they fill the batch, each at another point of its thought.
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _think(self, mind: int) -> None:
        system = about(SYSTEM_TOKENS, self.per_word, f"person {mind} who thinks")
        number = 0
        while True:
            number += 1
            user = about(USER_TOKENS + 10 * (mind % 7), self.per_word, f"thought {number} of {mind}")
            with contextlib.suppress(EngineError):
                done = await self.engine.complete(Request(system, user, _THOUGHT, number, max_tokens=THOUGHT_TOKENS))
                self.tokens += done.prompt_tokens - done.cached_tokens + done.reply_tokens
                self.finished.set()


async def _by_turns(
    where: str,
    say: Ask,
    others: Callable[[], contextlib.AbstractAsyncContextManager[None]],
    tokens: Callable[[], int],
    minds: int,
    talks: int,
    lines: int,
) -> list[FirstWords]:
    """Holds talks in pairs: one while others think, one while nobody does. Their order alternates."""
    idle, busy, rng, computed = _Waits(), _Waits(), np.random.default_rng(7), 0
    await say(2 * talks, 0, lambda text: None)  # The first talk fills caches.
    for talk in range(talks):
        for loaded in (talk % 2 == 0, talk % 2 == 1):
            waits, before = busy if loaded else idle, tokens()
            async with others() if loaded else contextlib.nullcontext():
                began = time.perf_counter()
                for line in range(lines):
                    # A player speaks at a random moment of the thoughts of others.
                    await asyncio.sleep(float(rng.uniform(0.2, 1.0)) * (idle.whole[-1] if idle.whole else 0.1))
                    await waits.add(lambda on_text, it=2 * talk + loaded, line=line: say(it, line, on_text))  # type: ignore[misc]
                waits.wall_s += time.perf_counter() - began
            computed += tokens() - before if loaded else 0
    return [_figures(where, 0, idle, idle, 0.0), _figures(where, minds, busy, idle, computed / busy.wall_s)]


def _figures(where: str, minds: int, waits: _Waits, idle: _Waits, others: float) -> FirstWords:
    def at(values: Sequence[float], percent: float) -> float:
        return float(np.percentile(values, percent))

    p50, p95, whole = at(waits.first, 50), at(waits.first, 95), at(waits.whole, 50)
    ratios = p50 / at(idle.first, 50), p95 / at(idle.first, 95), whole / at(idle.whole, 50)
    return FirstWords(where, minds, len(waits.first), p50, p95, ratios[0], ratios[1], whole, ratios[2], others)
