"""How fast a model is on this machine, and how much memory it takes: apart from what it says."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from npc_server.errors import EngineError
from npc_server.llm.engine import Engine, Request
from npc_server.llm.reply import Text, many

PROMPT_TOKENS = 800
REPLY_TOKENS = 64
TOGETHER = 16
_WORDS = "the miller counts his sacks while rain falls on the old bridge and a lamp is lit in every window of the long street"


@dataclass(frozen=True)
class _Line:
    text: Annotated[str, Text(200)]


_REPLY = many(_Line, 20, 20)  # longer than the tokens it gets


@dataclass(frozen=True)
class Speed:
    """Tokens per second. 0 where it could not be measured."""

    load_s: float = 0.0
    """From starting the process to the first question."""
    prefill: float = 0.0
    """Of a prompt of about 800 tokens that is asked for the first time."""
    decode: float = 0.0
    """Of one reply alone."""
    together: float = 0.0
    """Of 16 replies at once, all of them together."""
    memory_mb: float = 0.0
    """Most memory that the model process held, in millions of bytes; on Linux."""


async def measure(engine: Engine, load_s: float, pid: int) -> Speed:
    """Asks a few long questions. A model that fails has no speed."""
    try:
        per_word = (await engine.count_tokens([_WORDS]))[0] / len(_WORDS.split())
        await _ask(engine, "warm", 0, 64, 4, per_word)
        prompt, wall = await _ask(engine, "prefill", 1, PROMPT_TOKENS, 1, per_word)
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
    words = _WORDS.split()
    text = " ".join([mark, *(words[n % len(words)] for n in range(max(int(tokens / per_word), 1)))])
    began = time.perf_counter()
    done = await engine.complete(Request(f"{mark}: tell a story.", text, _REPLY, seed, max_tokens=reply))
    return done.prompt_tokens - done.cached_tokens, time.perf_counter() - began


def memory_mb(pid: int) -> float:
    """0 where the system does not tell."""
    status = Path(f"/proc/{pid}/status")
    try:
        lines = status.read_text(encoding="ascii", errors="replace").splitlines() if pid else []
    except OSError:
        return 0.0
    kb = next((int(line.split()[1]) for line in lines if line.startswith("VmHWM:")), 0)
    return kb * 1024 / 1e6
