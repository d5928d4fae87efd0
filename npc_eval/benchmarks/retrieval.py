"""Measures the speed of retrieval over many memories, and of commits to the store."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from npc_server.clock import HOUR
from npc_server.memory import inbox, meta
from npc_server.memory.create import create
from npc_server.memory.retrieval_score import Weights
from npc_server.memory.store import Store
from npc_server.memory.stream import MemoryStream
from npc_server.records import Memory, MemoryKind, Perception, PerceptionKind

SIZES = (1_000, 10_000, 100_000)


@dataclass(frozen=True)
class RetrievalFigure:
    """Milliseconds to score all memories, take the best 20 and set their last access."""

    memories: int
    dimensions: int
    runs: int
    median_ms: float
    p99_ms: float


@dataclass(frozen=True)
class CommitFigure:
    """Events stored with full sync, when `together` of them wait for a commit at once."""

    together: int
    events: int
    events_per_s: float
    median_ms: float
    """Milliseconds until an event is on disk."""
    p99_ms: float


def retrieval(sizes: Sequence[int] = SIZES, dimensions: int = 384, runs: int = 100, seed: int = 1) -> list[RetrievalFigure]:
    """Measures retrieval over memories of one NPC with random unit vectors, ages and importance. Blocks."""
    return [_retrieval(size, dimensions, runs, np.random.default_rng(seed)) for size in sizes]


def commits(together: Sequence[int] = (1, 10, 100), seconds: float = 2.0) -> list[CommitFigure]:
    """Stores perceptions in a new save in a temporary folder. Blocks."""
    return [asyncio.run(_commits(count, seconds)) for count in together]


def _retrieval(size: int, dimensions: int, runs: int, random: np.random.Generator) -> RetrievalFigure:
    now = size * HOUR
    vectors = random.standard_normal((size, dimensions), np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    ages, importance = random.integers(0, 24 * 30, size), random.integers(1, 11, size)
    made = [
        Memory("npc", n, MemoryKind.OBSERVATION, f"memory {n}", now, now - int(ages[n - 1]) * HOUR, int(importance[n - 1]))
        for n in range(1, size + 1)
    ]
    stream = MemoryStream("npc", made, range(1, size + 1), vectors)
    queries = random.standard_normal((runs + 3, dimensions)).astype(np.float32)
    took: list[float] = []
    for i, query in enumerate(queries / np.linalg.norm(queries, axis=1, keepdims=True)):
        began = time.perf_counter()
        stream.retrieve(query, now + i * HOUR, 20, Weights(), 0.995)
        took.append((time.perf_counter() - began) * 1000)
    median, p99 = np.percentile(took[3:], [50, 99])  # The first few fill caches.
    return RetrievalFigure(size, dimensions, runs, float(median), float(p99))


async def _commits(together: int, seconds: float) -> CommitFigure:
    with tempfile.TemporaryDirectory(prefix="npc-server-bench-") as folder:
        path = Path(folder) / "bench.npcsave"
        create(path, lambda db: meta.write(db, epoch=1))
        store = await Store.open(path)
        took: list[float] = []
        seq = 0

        async def one(number: int) -> None:
            event = Perception("npc", PerceptionKind.PERSON, "ben", "is pouring coffee", "town:cafe", 2.0, number)
            began = time.perf_counter()
            await store.do(lambda db: inbox.take(db, 1, [(number, event)]))
            took.append((time.perf_counter() - began) * 1000)

        began = time.perf_counter()
        while time.perf_counter() - began < seconds:
            await asyncio.gather(*(one(seq + i) for i in range(1, together + 1)))
            seq += together
        spent = time.perf_counter() - began
        await store.close()
    median, p99 = np.percentile(took, [50, 99])
    return CommitFigure(together, seq, seq / spent, float(median), float(p99))
