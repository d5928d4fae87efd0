"""Measures what a line of a talk costs a language model: tokens read, and the wait for the first token beside llama-server.

A talk of Millbrook is played with the real prompts. After each line llama-server gets the same file, the same chat and the same number of
threads, and keeps its own cache.
"""

from __future__ import annotations

import asyncio
import math
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from npc_eval.benchmarks.llama_server import find_llama_server, llama_server
from npc_eval.benchmarks.loaded import DEADLINE_S, loaded_engine
from npc_eval.player_lines import own_lines, read_lines
from npc_server import clock
from npc_server.config import EngineSettings, load_settings
from npc_server.llm.endpoint.engine import messages
from npc_server.llm.endpoint.form import Form
from npc_server.llm.engine import Completion, EngineStatus, Likelihood, OnText, Request
from npc_server.llm.process import default_log_file
from npc_server.llm.worker import LlamaEngine, threads_for
from npc_server.local.server import local_server, with_own_saves
from npc_server.sandbox.talk import talking
from npc_server.sandbox.towns import cast_with

TOWN, SEED = "millbrook", 7
QUESTION = "say"


@dataclass(frozen=True)
class ChatLines:
    """Medians over the lines of the talks from the second line on."""

    model: str
    threads: int
    lines: int
    read_tokens: int
    """Tokens that the model had to read for a line."""
    chat_tokens: int
    """Tokens of the whole chat by then."""
    first_s: float
    """Seconds from the question to the model's first token."""
    whole_s: float
    begins_first_s: float
    """The same as `first_s` for the first line of a talk."""
    ratio_first: float
    """Our seconds to the first token over llama-server's with the same chat; 0 where it is missing."""


@dataclass(frozen=True)
class _AskedLine:
    request: Request
    done: Completion
    first_s: float


class _TimedEngine:
    """Passes everything on, and notes the lines that were asked for."""

    def __init__(self, engine: LlamaEngine, after: Callable[[_AskedLine], object]) -> None:
        self.engine, self.after = engine, after

    async def complete(self, request: Request, on_text: OnText | None = None) -> Completion:
        began, heard = time.perf_counter(), list[float]()

        def hear(text: str) -> None:
            heard.append(time.perf_counter() - began)
            if on_text is not None:
                on_text(text)

        done = await self.engine.complete(request, hear)
        if request.stage == QUESTION and request.max_tokens > 1 and heard:
            self.after(_AskedLine(request, done, heard[0]))
        return done

    async def score(self, request: Request, given: str, texts: Sequence[str]) -> list[Likelihood]:
        return await self.engine.score(request, given, texts)

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return await self.engine.count_tokens(texts)

    def status(self) -> EngineStatus:
        # The model says every line, however long that takes.
        return replace(self.engine.status(), own_lines=2.0, scores=False, first_word_s=math.inf)

    def try_again(self) -> None:
        self.engine.try_again()

    async def close(self) -> None:
        """The model goes on with the next talk."""


def bench_chat(settings: EngineSettings, model: Path, talks: int = 1) -> list[ChatLines]:
    """Play the first `talks` talks in Millbrook, and return the medians. Raises NpcServerError if the model cannot be run."""
    return asyncio.run(_bench(settings, model, talks))


async def _bench(settings: EngineSettings, model: Path, talks: int) -> list[ChatLines]:
    threads, asked, ratios, at = threads_for(settings), list[_AskedLine](), list[float](), list[int]()
    async with AsyncExitStack() as stack:
        engine = await stack.enter_async_context(loaded_engine(model, settings, player_deadline_s=DEADLINE_S))
        server = None
        if program := find_llama_server():
            log = default_log_file().with_name("llama-server.log")
            opened = llama_server(program, model, slots=1, slot_tokens=settings.context_tokens, threads=threads, log=log)
            server = await stack.enter_async_context(opened)
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="npc-server-bench-")))
        watched = _TimedEngine(engine, asked.append)
        for number, talk in enumerate([it for it in read_lines(own_lines()) if it.town == TOWN][:talks]):
            at.append(len(asked))
            values = settings.model_dump() | {"model": str(model), "player_deadline_s": DEADLINE_S}
            own = with_own_saves(load_settings(engine=values), folder / str(number))
            cast, npc = cast_with(talk.town, talk.to)
            async with (
                local_server(own, engine=watched) as local,
                talking(local.connection, cast, npc, talk.player, clock.parse_datetime(talk.at), SEED) as player,
            ):
                for line in talk.lines:
                    before = len(asked)
                    async for _ in player.say(line):
                        pass
                    if server is not None and len(asked) > before:
                        one = asked[before]
                        theirs = await server.first_token(messages(one.request, Form.WORDS), one.done.reply_tokens)
                        ratios += [one.first_s / theirs] if before > at[-1] else []
    later = [it for place, it in enumerate(asked) if place not in at]
    begins = [asked[place] for place in at if place < len(asked)]
    if not later:
        return []
    return [
        ChatLines(
            model=model.stem,
            threads=threads,
            lines=len(later),
            read_tokens=int(statistics.median(it.done.prompt_tokens - it.done.cached_tokens for it in later)),
            chat_tokens=int(statistics.median(it.done.prompt_tokens for it in later)),
            first_s=round(statistics.median(it.first_s for it in later), 2),
            whole_s=round(statistics.median(it.done.wall_ms for it in later) / 1000, 2),
            begins_first_s=round(statistics.median(it.first_s for it in begins), 2),
            ratio_first=round(statistics.median(ratios), 2) if ratios else 0.0,
        )
    ]
