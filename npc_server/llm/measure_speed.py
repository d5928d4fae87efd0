"""Measures how fast a loaded model reads and writes, in the model process, before it answers anybody."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median

import numpy as np

from npc_server.llm.kv_cache import ContextMemory
from npc_server.llm.llama import Rows
from npc_server.llm.speed import Speed

CHUNK_TOKENS = 32
"""Tokens that a processor reads at a time. It reads long prompts hardly faster, and a slow machine reads these in a second or two."""
CARD_CHUNK_TOKENS = 512
"""The same for a graphics card, which needs many at once."""
MOST_CHUNKS = 8
MOST_WRITTEN = 32


def measure(
    context: ContextMemory, vocabulary: int, most_s: float, *, on_card: bool = False, clock: Callable[[], float] = time.perf_counter
) -> Speed:
    """Return the speed of a model whose context is empty, and leave it empty. It takes about `most_s` seconds at most.

    The first decode reads the file from the disk and does not count. Of several chunks the middle one counts, because other programs
    may be busy for a moment.
    """
    chunk = max(1, min(CARD_CHUNK_TOKENS if on_card else CHUNK_TOKENS, context.cells // 4))
    room = context.cells - MOST_WRITTEN - 1
    at = 0

    def decode(tokens: int) -> float:
        nonlocal at
        places = np.arange(at, at + tokens, dtype=np.int32)
        last = np.zeros(tokens, np.bool_)
        last[-1] = True
        began = clock()
        context.decode(Rows(places % vocabulary, places, np.zeros(tokens, np.int32), last))
        context.logits()
        at += tokens
        return max(clock() - began, 1e-6)

    def repeat(tokens: int, most: int) -> float:
        began, rates = clock(), list[float]()
        while len(rates) < most and at + tokens <= context.cells and (not rates or clock() - began < most_s / 2):
            rates.append(tokens / decode(tokens))
        return median(rates)

    decode(1)
    read = repeat(chunk, min(MOST_CHUNKS, max(1, room // chunk)))
    written = repeat(1, MOST_WRITTEN)
    context.cut(0)
    return Speed(read, written)
