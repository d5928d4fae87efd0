"""Measures everything that is installed here and runs models, side by side: the same talks, their speed, and the memory.

Other work on the machine changes what is measured in wall time from one runtime to the next, so processor time is told, too.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import psutil

from npc_eval.benchmarks.engine import memory_mb
from npc_eval.benchmarks.llama_server import find_llama_server
from npc_eval.benchmarks.loaded import loaded_engine
from npc_eval.benchmarks.texts import about, tokens_a_word
from npc_server.config import EngineSettings
from npc_server.llm.engine import Engine, Priority, Request
from npc_server.llm.reply import Text, one
from npc_server.llm.runtime import LLAMA_SERVER, Runtime, find_runtime, installed_runtimes
from npc_server.records import Turn

TALKS, LINES = 3, 10
SYSTEM_TOKENS, LINE_TOKENS, REPLY_TOKENS = 200, 16, 12
"""About as long as those of play, and short enough for a slow machine to be measured in minutes."""


@dataclass(frozen=True)
class _Say:
    text: Annotated[str, Text(400)]


_REPLY = one(_Say)


@dataclass(frozen=True)
class RuntimeSpeed:
    """What one runtime does with a model, in the same talks. Seconds are medians over their lines."""

    runtime: str
    load_s: float
    written: float
    """Reply tokens for each second from the first token of an answer to its end."""
    first_s: float
    """From a player's line to the first token of the answer, in a talk that was begun before."""
    line_s: float
    """To its end."""
    cpu_written: float
    """Reply tokens for each second of processor time, which reading the new line takes part in."""
    cpu_line_s: float
    """Seconds of processor time for a line."""
    scored_cpu_s: float
    """Seconds of processor time to say how likely a line of 12 tokens is. 0 where it cannot be said."""
    memory_mb: float
    """Most memory of the model process and what it started, in millions of bytes, on Linux."""


@dataclass
class _TalkLines:
    """What was measured of the lines after the first of each talk."""

    first: list[float] = field(default_factory=list)
    whole: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)


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
        load_s, process = time.perf_counter() - began, psutil.Process(engine.process.pid)
        lines = await measure_talks(engine, process)
        scored = await _score(engine, process)
        memory = sum(memory_mb(it.pid) for it in (process, *process.children()))
    writing = sum(lines.whole) - sum(lines.first)
    return RuntimeSpeed(
        runtime=runtime.kind,
        load_s=load_s,
        written=sum(count - 1 for count in lines.tokens) / max(writing, 1e-6),
        first_s=statistics.median(lines.first),
        line_s=statistics.median(lines.whole),
        cpu_written=sum(lines.tokens) / max(sum(lines.cpu), 1e-6),
        cpu_line_s=statistics.median(lines.cpu),
        scored_cpu_s=scored,
        memory_mb=memory,
    )


async def measure_talks(engine: Engine, process: psutil.Process) -> _TalkLines:
    """Play the talks with an engine, whose model runs in `process` and its children. The first line of each reads the persona."""
    per_word, found = await tokens_a_word(engine), _TalkLines()
    for talk in range(TALKS):
        turns: tuple[Turn, ...] = ()
        system = about(SYSTEM_TOKENS, per_word, f"person {talk}")
        for line in range(LINES + 1):
            heard, first = about(LINE_TOKENS, per_word, f"line {line}"), list[float]()
            asked = Request(system, heard, _REPLY, line, max_tokens=REPLY_TOKENS, priority=Priority.PLAYER, free=True, turns=turns)
            began, used = time.perf_counter(), _cpu_s(process)
            done = await engine.complete(asked, lambda _, began=began, first=first: first.append(time.perf_counter() - began))  # type: ignore[misc]
            whole = time.perf_counter() - began
            turns = (*turns, Turn(heard, done.text))
            if line:
                found.first.append(first[0] if first else whole)
                found.whole.append(whole)
                found.cpu.append(_cpu_s(process) - used)
                found.tokens.append(done.reply_tokens)
    return found


async def _score(engine: Engine, process: psutil.Process) -> float:
    """Processor seconds for the likelihood of a line, after a prompt that was read before."""
    if not engine.status().scores:
        return 0.0
    per_word = await tokens_a_word(engine)
    asked = Request(about(SYSTEM_TOKENS, per_word, "person 0"), "Good morning!", _REPLY, 1, priority=Priority.PLAYER, free=True)
    text, found = about(REPLY_TOKENS, per_word, "well"), list[float]()
    for _ in range(3):
        used = _cpu_s(process)
        await engine.score(asked, "", [text])
        found.append(_cpu_s(process) - used)
    return min(found)


def _cpu_s(process: psutil.Process) -> float:
    """Seconds of processor time of a process and its children until now."""
    times = [it.cpu_times() for it in (process, *process.children())]
    return sum(it.user + it.system for it in times)
