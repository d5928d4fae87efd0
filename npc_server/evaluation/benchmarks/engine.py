"""Measures tokens per second of the llama.cpp engine, for parallel and single requests."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from npc_server.config import EngineSettings
from npc_server.errors import EngineError
from npc_server.evaluation.benchmarks.loaded import file_or_random_model, loaded_engine
from npc_server.evaluation.benchmarks.texts import about, tokens_a_word
from npc_server.llm.engine import Completion, Engine, Request
from npc_server.llm.reply import Text, many
from npc_server.llm.worker import LlamaEngine, threads_for

PARALLEL = (1, 4, 16, 25)
SHARED_TOKENS = 512
OWN_TOKENS = 64
PREFILL_TOKENS = 800
REPLY_TOKENS = 64
TOGETHER = 16
"""Parallel replies when the speed of one model is measured."""


@dataclass(frozen=True)
class _Line:
    text: Annotated[str, Text(200)]


_REPLY = many(_Line, 20, 20)  # The reply is longer than its token limit, so that all replies are equally long.


@dataclass(frozen=True)
class EngineRow:
    """One run: `parallel` requests at once, each with about 512 tokens of system text, 64 of its own and 64 to answer."""

    parallel: int
    shared_prefix: bool
    """Whether all requests had the same system text, which was not in the KV cache before."""
    reply_tokens: int
    prompt_tokens: int
    cached_tokens: int
    wall_s: float
    tokens_per_s: float
    """Reply tokens of all requests, over the wall time from the first request to the last reply, prompts included."""
    ratio: float
    """Speed relative to one request at a time, with the same kind of prompt."""


@dataclass(frozen=True)
class EngineBench:
    model: str
    parameters_m: float
    threads: int
    library: str
    rows: tuple[EngineRow, ...]


@dataclass(frozen=True)
class Speed:
    """Tokens per second. 0 if it could not be measured."""

    load_s: float = 0.0
    """Seconds from the start of the process to the first question."""
    prefill: float = 0.0
    """Prompt tokens per second for a new prompt of about 800 tokens."""
    decode: float = 0.0
    """Reply tokens per second of a single reply."""
    together: float = 0.0
    """Reply tokens per second of 16 parallel replies, all together."""
    memory_mb: float = 0.0
    """Peak memory of the model process in millions of bytes, on Linux."""


# ---- parallel requests


def bench_engine(
    settings: EngineSettings, model_path: Path | None = None, *, parallel: tuple[int, ...] = PARALLEL, repeats: int = 1
) -> EngineBench:
    """Runs the benchmark, with a random model of about 16 million parameters if none is given. The best of `repeats` counts.

    Raises EngineError if the model cannot be run. Must not be called inside an event loop.
    """
    with file_or_random_model(model_path) as path:
        return asyncio.run(_bench(settings, path, parallel, repeats))


async def _bench(settings: EngineSettings, path: Path, parallel: tuple[int, ...], repeats: int) -> EngineBench:
    from npc_server.llm.gguf_header import read_header

    most = max(parallel)
    context = max(settings.context_tokens, most * (SHARED_TOKENS + OWN_TOKENS + REPLY_TOKENS + 64))
    header = await asyncio.to_thread(read_header, path, settings.max_header_bytes)
    # No prefixes are kept, so that each run starts cold.
    async with loaded_engine(path, settings, max_parallel=most, context_tokens=context, kept_prefixes=0) as engine:
        per_word = await tokens_a_word(engine)
        rows: list[EngineRow] = []
        await _run(engine, 1, False, per_word, "warm-up")
        for shared in (False, True):
            alone = 0.0
            for count in parallel:
                runs = [await _run(engine, count, shared, per_word, f"{count}{shared}{n}") for n in range(repeats)]
                best = max(runs, key=lambda row: row.tokens_per_s)
                alone = alone or best.tokens_per_s
                rows.append(_with_ratio(best, best.tokens_per_s / alone))
        facts = engine.process.facts.get("library", {})
        library = f"llama-cpp-python {facts.get('llama_cpp_python', '?')}"
        return EngineBench(header.name, header.parameters / 1e6, threads_for(settings), library, tuple(rows))


async def _run(engine: LlamaEngine, count: int, shared: bool, per_word: float, mark: str) -> EngineRow:
    requests = [
        Request(
            system=about(SHARED_TOKENS, per_word, f"{mark} all" if shared else f"{mark} {n}"),
            user=about(OWN_TOKENS, per_word, f"question {n}"),
            reply=_REPLY,
            seed=n,
            max_tokens=REPLY_TOKENS,
        )
        for n in range(count)
    ]
    began = time.perf_counter()
    done: list[Completion] = await asyncio.gather(*(engine.complete(request) for request in requests))
    wall = time.perf_counter() - began
    replies = sum(one.reply_tokens for one in done)
    prompts, cached = sum(one.prompt_tokens for one in done), sum(one.cached_tokens for one in done)
    return EngineRow(count, shared, replies, prompts, cached, wall, replies / wall, 0.0)


def _with_ratio(row: EngineRow, ratio: float) -> EngineRow:
    return EngineRow(**{**vars(row), "ratio": ratio})


# ---- one model


async def measure(engine: Engine, load_s: float, pid: int) -> Speed:
    """Measures the speed with a few long questions. A model that fails has speed 0."""
    try:
        per_word = await tokens_a_word(engine)
        await _ask(engine, "warm", 0, 64, 4, per_word)
        prompt, wall = await _ask(engine, "prefill", 1, PREFILL_TOKENS, 1, per_word)
        prefill = prompt / wall
        _, short = await _ask(engine, "decode", 2, 64, 1, per_word)
        _, long = await _ask(engine, "decode more", 3, 64, REPLY_TOKENS, per_word)
        began = time.perf_counter()
        await asyncio.gather(*(_ask(engine, f"together {n}", n, 64, REPLY_TOKENS, per_word) for n in range(TOGETHER)))
        together = TOGETHER * REPLY_TOKENS / (time.perf_counter() - began)
    except EngineError:
        return Speed(load_s, memory_mb=memory_mb(pid))
    return Speed(load_s, prefill, (REPLY_TOKENS - 1) / max(long - short, 1e-6), together, memory_mb(pid))


async def _ask(engine: Engine, mark: str, seed: int, tokens: int, reply: int, per_word: float) -> tuple[int, float]:
    began = time.perf_counter()
    done = await engine.complete(Request(f"{mark}: tell a story.", about(tokens, per_word, mark), _REPLY, seed, max_tokens=reply))
    return done.prompt_tokens - done.cached_tokens, time.perf_counter() - began


def memory_mb(pid: int) -> float:
    """Peak memory of a process in millions of bytes; 0 when the system does not tell."""
    status = Path(f"/proc/{pid}/status")
    try:
        lines = status.read_text(encoding="ascii", errors="replace").splitlines() if pid else []
    except OSError:
        return 0.0
    kb = next((int(line.split()[1]) for line in lines if line.startswith("VmHWM:")), 0)
    return kb * 1024 / 1e6
