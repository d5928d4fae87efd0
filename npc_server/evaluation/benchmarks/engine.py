"""Tokens per second of the llama.cpp engine: of parallel requests against single ones, and of one loaded model."""

from __future__ import annotations

import asyncio
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from npc_server.config import EngineSettings
from npc_server.errors import EngineError, ModelRejected
from npc_server.evaluation.benchmarks.texts import about, tokens_a_word
from npc_server.llm.engine import Completion, Engine, Request
from npc_server.llm.process import default_log_file
from npc_server.llm.random_model import make_random_model
from npc_server.llm.reply import Text, many
from npc_server.llm.worker import LlamaEngine, threads_for

PARALLEL = (1, 4, 16, 25)
SHARED_TOKENS = 512
OWN_TOKENS = 64
PREFILL_TOKENS = 800
REPLY_TOKENS = 64
TOGETHER = 16
"""Parallel replies in the speed figures of one model."""


@dataclass(frozen=True)
class _Line:
    text: Annotated[str, Text(200)]


_REPLY = many(_Line, 20, 20)  # longer than its tokens allow, so that all replies are equally long


@dataclass(frozen=True)
class EngineRow:
    """One run: `parallel` requests at once, each with about 512 tokens of system text, 64 of its own and 64 to answer."""

    parallel: int
    shared_prefix: bool
    """Whether all had the same system text, which was not in the KV cache before."""
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
    """Tokens per second; 0 when it could not be measured."""

    load_s: float = 0.0
    """Seconds from the start of the process to the first question."""
    prefill: float = 0.0
    """For a new prompt of about 800 tokens."""
    decode: float = 0.0
    """For a single reply."""
    together: float = 0.0
    """For 16 parallel replies, all together."""
    memory_mb: float = 0.0
    """Peak memory of the model process in millions of bytes, on Linux."""


# ---- parallel requests


def bench_engine(
    settings: EngineSettings, model_path: Path | None = None, *, parallel: tuple[int, ...] = PARALLEL, repeats: int = 1
) -> EngineBench:
    """Runs the benchmark, with a random model of about 16 million parameters when none is given. The best of `repeats` counts.

    Raises EngineError when the model cannot be run. Must not be called inside an event loop.
    """
    with tempfile.TemporaryDirectory(prefix="npc-server-bench-") as folder:
        path = model_path or make_random_model(Path(folder) / "random-16m.gguf", width=320, layers=10, heads=5, vocab=4096)
        return asyncio.run(_bench(settings, path, parallel, repeats))


async def _bench(settings: EngineSettings, path: Path, parallel: tuple[int, ...], repeats: int) -> EngineBench:
    from npc_server.llm.gguf_header import read_header

    most = max(parallel)
    need = most * (SHARED_TOKENS + OWN_TOKENS + REPLY_TOKENS + 64)
    values = settings.model_dump() | {
        "max_parallel": most,
        "context_tokens": max(settings.context_tokens, need),
        "kept_prefixes": 0,  # each run starts cold
        "deadline_s": 3600.0,
    }
    header = await asyncio.to_thread(read_header, path, settings.max_header_bytes)
    engine = LlamaEngine(path, EngineSettings.model_validate(values), log_file=default_log_file())
    try:
        status = await engine.loaded()
        if engine.process.problem is not None:
            raise engine.process.problem
        if not status.ready:
            raise ModelRejected(f"The model {str(path)!r} did not load.", status.problem)
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
    finally:
        await engine.close()


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
