"""Measures the time to open and write a large save, and how long other work waits for it."""

from __future__ import annotations

import asyncio
import gc
import tempfile
import time
from collections.abc import Awaitable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
from sqlite_utils import Database

from npc_server.config import load_settings
from npc_server.llm.embed import HashedWordsEmbedder
from npc_server.llm.no_model import NoModelEngine
from npc_server.memory import database, memories, people
from npc_server.records import Memory, MemoryKind, Perception, PerceptionKind
from npc_server.sandbox.towns import find_cast
from npc_server.session.host import Host
from npc_server.session.persona_files import forget
from npc_server.session.session import Session

T = TypeVar("T")
PROBE_S = 0.005
WORDS = ["mill", "bread", "river", "bell", "lamp", "sold", "bought", "apples", "letter", "harvest", "debt", "wedding", "market", "church"]


@dataclass(frozen=True)
class SaveFigure:
    """An operation on a save with `memories` memories, and the longest waits of the event loop and of acknowledgements during it."""

    what: str
    memories: int
    seconds: float
    cpu_s: float
    longest_stall_ms: float
    longest_ack_ms: float
    """Longest wait for an acknowledgement, in milliseconds. 0 if no session is open."""


def saves(memories: int = 100_000, town: str = "alderwick") -> list[SaveFigure]:
    """Runs the benchmark in a temporary folder, without a model. Blocks."""
    return asyncio.run(_saves(memories, town))


async def _saves(count: int, town: str) -> list[SaveFigure]:
    with tempfile.TemporaryDirectory(prefix="npc-server-bench-") as folder:
        settings = load_settings(save={"folder": Path(folder)})
        cast = find_cast(town)
        host = Host(settings, NoModelEngine("This is a measurement."), HashedWordsEmbedder())
        await host.create_save("large", cast.town_file, cast.persona_files, 1, 0)
        await asyncio.to_thread(fill, Path(folder) / "large.npcsave", count)
        forget()  # A server that has just started has no persona files in its cache.
        gc.collect()
        gc.freeze()
        figures: list[SaveFigure] = []

        async def measured(what: str, work: Awaitable[T], session: Session | None = None) -> T:
            result, seconds, cpu, stall, ack = await watched(work, session)
            figures.append(SaveFigure(what, count, seconds, cpu, stall, ack))
            return result

        try:
            session = await measured("open unlisted", host.open_save("large"))
            await session.close(save=False)
            forget()
            await measured("list", host.list_saves())
            await measured("list again", host.list_saves())
            session = await measured("open", host.open_save("large"))
            await measured("save", session.save_game(), session)
            await measured("load", session.load_game())
            await measured("close", session.close(save=False))
        finally:
            await host.close()
    return figures


async def watched(work: Awaitable[T], session: Session | None) -> tuple[T, float, float, float, float]:
    """Returns the result, its wall and processor seconds, and the longest stall and acknowledgement in milliseconds."""
    stalls, acks, over = [0.0], [0.0], asyncio.Event()
    watching = [asyncio.create_task(_stalls(stalls, over)), *([asyncio.create_task(_acks(session, acks, over))] if session else [])]
    await asyncio.sleep(4 * PROBE_S)
    stalls[:] = [0.0]
    began, cpu = time.perf_counter(), time.process_time()
    try:
        result = await work
    finally:
        seconds, used = time.perf_counter() - began, time.process_time() - cpu
        over.set()
        await asyncio.gather(*watching)
    return result, seconds, used, max(stalls), max(acks)


async def _stalls(found: list[float], over: asyncio.Event) -> None:
    while not over.is_set():
        began = time.perf_counter()
        await asyncio.sleep(PROBE_S)
        found.append(1000 * (time.perf_counter() - began - PROBE_S))


async def _acks(session: Session, found: list[float], over: asyncio.Event) -> None:
    npc = session.npc_ids[0]
    while not over.is_set():
        began = time.perf_counter()
        event = Perception(npc, PerceptionKind.EVENT, "", "A bell rings.", "", 3.0, session.now)
        await session.take(session.epoch, [(session.last_stored_seq + 1, event)])
        found.append(1000 * (time.perf_counter() - began))
        await asyncio.sleep(4 * PROBE_S)


def fill(path: Path, count: int, dimensions: int = 384) -> None:
    """Adds `count` memories to a save, with random words and vectors, the same number for each person."""
    random = np.random.default_rng(1)
    db = database.open_writer(path)
    try:
        npcs = [person.npc for person in people.load(db)]
        with db.atomic():
            for npc in npcs:
                _fill_one(db, npc, count // len(npcs), dimensions, random)
        db.conn.execute("PRAGMA journal_mode = DELETE")
    finally:
        db.close()


def _fill_one(db: Database, npc: str, count: int, dimensions: int, random: np.random.Generator) -> None:
    before = memories.load(db, npc)
    last, at = max(memory.id for memory in before), before[0].created
    words = random.choice(WORDS, (count, 15)).tolist()
    made = [
        Memory(npc, last + n, MemoryKind.OBSERVATION, " ".join(it[3:]), at - n, at, n % 8 + 1, it[0], it[1], it[2])
        for n, it in enumerate(words, start=1)
    ]
    vectors = random.standard_normal((count, dimensions), np.float32)
    memories.insert(db, made, vectors / np.linalg.norm(vectors, axis=1, keepdims=True))
