"""Measures what each person costs the server, from a village to a city, with endpoints that answer after a drawn delay."""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from npc_eval.benchmarks.apart import Apart, ServerLook, server_apart
from npc_eval.benchmarks.feed import feeding
from npc_eval.benchmarks.slow_endpoint import slow_endpoints
from npc_server.config import load_settings
from npc_server.personas.schema import load_persona
from npc_server.records import Document
from npc_server.sandbox.towns import Cast, find_cast
from npc_server.session.read_files import MOST_PEOPLE

ENDPOINTS, PARALLEL = 4, 64
"""Endpoints in the pool, and requests that each takes at once."""
THOUGHT_S = 0.6
"""Wall seconds that a thought takes with these endpoints, about. The rate of events follows from it."""
SPEED = 10.0
"""Game seconds in a wall second."""
SETTLE_S = 90.0
"""Most wall seconds until the first plans of the day are made and the measurement begins."""


@dataclass(frozen=True)
class PeopleFigure:
    """What a save with many people costs its server, without the model."""

    people: int
    active_percent: float
    """People who thought or talked, on average."""
    thoughts_per_s: float
    questions_per_s: float
    cpu_ms_a_thought: float
    """Processor time of the server for each thought, with all that went on meanwhile."""
    memory_mb_a_mind: float
    """Memory that the server took since the save was opened, for each person."""
    lag_p50_ms: float
    """How late the event loop was."""
    lag_p99_ms: float
    lag_max_ms: float
    refused: int
    """Questions that were not answered."""


COUNTS, SHARES = (25, 100, 300, 1000), (0.05, 0.2)


def people(counts: Sequence[int] = COUNTS, shares: Sequence[float] = SHARES, seconds: float = 20.0) -> list[PeopleFigure]:
    """Runs the benchmark with each number of people and each share of active ones. Blocks."""
    return [asyncio.run(_measured(count, share, seconds)) for count in counts for share in shares]


async def _measured(count: int, share: float, seconds: float) -> PeopleFigure:
    casts = towns(count)
    with tempfile.TemporaryDirectory(prefix="npc-server-bench-") as folder, slow_endpoints(ENDPOINTS) as endpoints:
        engine = {"model": endpoints, "max_parallel": PARALLEL, "queue_limit": 100_000, "embedding_model": "none"}
        settings = load_settings(
            save={"folder": Path(folder)}, server={"host": "127.0.0.1", "port": 0, "token": ""}, engine=engine, mind={"by_instinct": ()}
        )
        async with server_apart(settings) as server:
            empty = await server.look()
            async with AsyncExitStack() as played:
                for number, cast in enumerate(casts):
                    rate = share * len(cast.people) / THOUGHT_S
                    await played.enter_async_context(feeding(server.address, server.token, cast, f"town{number}", rate, SPEED))
                await _settled(server, 2 * share * count)
                first, looks = await server.look(), list[ServerLook]()
                for _ in range(max(1, round(seconds))):
                    await asyncio.sleep(min(1.0, seconds))
                    looks.append(await server.look())
    return figure(count, empty, first, looks)


async def _settled(server: Apart, at_work: float) -> None:
    """Waits until no more people are at work than these, at most `SETTLE_S`."""
    until = asyncio.get_running_loop().time() + SETTLE_S
    while asyncio.get_running_loop().time() < until:
        await asyncio.sleep(1.0)
        seen = await server.look()
        if seen.thoughts and seen.at_work <= at_work:
            return


def figure(count: int, empty: ServerLook, first: ServerLook, looks: Sequence[ServerLook]) -> PeopleFigure:
    """The figures from what was seen before the save was opened, at the beginning of the measurement, and during it."""
    last, lags = looks[-1], np.array([lag for seen in looks for lag in seen.lags_ms] or [0.0])
    seconds, thoughts = last.at_s - first.at_s, last.thoughts - first.thoughts
    return PeopleFigure(
        people=count,
        active_percent=100 * float(np.mean([seen.at_work for seen in looks])) / count,
        thoughts_per_s=thoughts / seconds,
        questions_per_s=(last.answers - first.answers) / seconds,
        cpu_ms_a_thought=1000 * (last.cpu_s - first.cpu_s) / max(thoughts, 1),
        memory_mb_a_mind=(last.memory_mb - empty.memory_mb) / count,
        lag_p50_ms=float(np.percentile(lags, 50)),
        lag_p99_ms=float(np.percentile(lags, 99)),
        lag_max_ms=float(lags.max()),
        refused=last.failures - first.failures,
    )


def towns(count: int) -> list[Cast]:
    """Casts with so many people in all, and no more in each than a save may have."""
    return [crowd(min(MOST_PEOPLE, count - before)) for before in range(0, count, MOST_PEOPLE)]


def crowd(count: int, town: str = "alderwick") -> Cast:
    """The town with so many people. Beyond its own they are copies with other ids and names, who live in the same houses."""
    cast = find_cast(town)
    own = cast.persona_files
    files = [own[at] if at < len(own) else _copy(own[at % len(own)], at // len(own)) for at in range(count)]
    return replace(cast, persona_files=tuple(files), people=tuple(load_persona(it, cast.town.id) for it in files))


def _copy(document: Document, number: int) -> Document:
    text = re.sub(r"^id: (\w+)$", rf"id: \1_{number}", document.text, count=1, flags=re.MULTILINE)
    text = re.sub(r"^name: (.+)$", rf"name: \1 the {number}th", text, count=1, flags=re.MULTILINE)
    return Document(f"{number}-{document.name}", text)
