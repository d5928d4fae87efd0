"""Measures everything that is installed here and runs models, side by side: tokens a second, memory, and the same talks."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from npc_eval.benchmarks.engine import measure, memory_mb
from npc_eval.benchmarks.llama_server import find_llama_server
from npc_eval.benchmarks.loaded import loaded_engine
from npc_eval.benchmarks.texts import about, tokens_a_word
from npc_server.config import EngineSettings
from npc_server.llm.engine import Priority, Request
from npc_server.llm.reply import Text, one
from npc_server.llm.runtime import LLAMA_SERVER, Runtime, find_runtime, installed_runtimes
from npc_server.llm.worker import LlamaEngine
from npc_server.records import Turn

TALKS, LINES = 3, 10
SYSTEM_TOKENS, LINE_TOKENS, REPLY_TOKENS = 300, 20, 24


@dataclass(frozen=True)
class _Say:
    text: Annotated[str, Text(400)]


_REPLY = one(_Say)


@dataclass(frozen=True)
class RuntimeSpeed:
    """What one runtime does with a model. Tokens a second; seconds are medians over the lines of the talks."""

    runtime: str
    load_s: float
    read: float
    written: float
    together: float
    """Of 16 replies at once, all together."""
    first_s: float
    """From a player's line to the first token of the answer."""
    line_s: float
    """To its end."""
    memory_mb: float
    """Most memory of the model process and what it started, in millions of bytes, on Linux."""


def bench_runtimes(settings: EngineSettings, model: Path) -> list[RuntimeSpeed]:
    return asyncio.run(_all(settings, model))


async def _all(settings: EngineSettings, model: Path) -> list[RuntimeSpeed]:
    return [await _one(settings, model, runtime) for runtime in _runtimes()]


def _runtimes() -> Iterator[Runtime]:
    """Those that are installed, and the llama-server of the clone."""
    found = installed_runtimes()
    yield from found
    fetched = find_llama_server()
    if fetched is not None and all(it.kind != LLAMA_SERVER for it in found):
        yield find_runtime(str(fetched))


async def _one(settings: EngineSettings, model: Path, runtime: Runtime) -> RuntimeSpeed:
    began = time.perf_counter()
    async with loaded_engine(model, settings, runtime=runtime.program or runtime.kind) as engine:
        load_s, pid = time.perf_counter() - began, engine.process.pid
        speed = await measure(engine, load_s, pid)
        waits = await _talks(engine)
        memory = sum(memory_mb(it) for it in (pid, *_children(pid)))
    first, whole = (statistics.median(column) for column in zip(*waits, strict=True))
    return RuntimeSpeed(runtime.kind, load_s, speed.prefill, speed.decode, speed.together, first, whole, memory)


async def _talks(engine: LlamaEngine) -> list[tuple[float, float]]:
    """Seconds to the first token and to the end, for each line of each talk."""
    per_word = await tokens_a_word(engine)
    found = []
    for talk in range(TALKS):
        turns: tuple[Turn, ...] = ()
        system = about(SYSTEM_TOKENS, per_word, f"person {talk}")
        for line in range(LINES):
            heard, first = about(LINE_TOKENS, per_word, f"line {line}"), list[float]()
            asked = Request(system, heard, _REPLY, line, max_tokens=REPLY_TOKENS, priority=Priority.PLAYER, free=True, turns=turns)
            began = time.perf_counter()
            done = await engine.complete(asked, lambda _, began=began, first=first: first.append(time.perf_counter() - began))  # type: ignore[misc]
            whole = time.perf_counter() - began
            found.append((first[0] if first else whole, whole))
            turns = (*turns, Turn(heard, done.text))
    return found


def _children(pid: int) -> tuple[int, ...]:
    try:
        return tuple(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()))
    except OSError:
        return ()
