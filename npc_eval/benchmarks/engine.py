"""Measures tokens per second of one model, to compare it with others. `contest` compares engines."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from npc_eval.benchmarks.texts import about, tokens_a_word
from npc_server.errors import EngineError
from npc_server.llm.engine import Engine, Request
from npc_server.llm.reply import Text, many

PREFILL_TOKENS = 800
REPLY_TOKENS = 64
TOGETHER = 16
"""Parallel replies when the speed of one model is measured."""


@dataclass(frozen=True)
class _Line:
    text: Annotated[str, Text(200)]


_REPLY = many(_Line, 20, 20)  # The reply is longer than its token limit, so that all replies are equally long.


@dataclass(frozen=True)
class EngineSpeed:
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


async def measure(engine: Engine, load_s: float, pid: int) -> EngineSpeed:
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
        return EngineSpeed(load_s, memory_mb=memory_mb(pid))
    return EngineSpeed(load_s, prefill, (REPLY_TOKENS - 1) / max(long - short, 1e-6), together, memory_mb(pid))


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
