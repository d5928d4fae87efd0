"""Measures what the panel (docs/debugger.md) costs Godot's main thread, with many people who remember much, and a real server."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sqlite_utils import Database

from npc_eval.godot_scene import scene_figures
from npc_server.clock import MINUTE
from npc_server.config import load_settings
from npc_server.llm.embed import HashedWordsEmbedder
from npc_server.llm.no_model import NoModelEngine
from npc_server.memory import memories
from npc_server.records import GameTime, Memory, MemoryKind, MemorySource, NpcId
from npc_server.sandbox.towns import Cast, find_cast
from npc_server.session.host import Host

TOWN = "alderwick"
MEMORIES = 20_000
"""Memories of each person: as many as one may have (the setting `mind.memories_kept`)."""
FRAMES = 600
HOUR = 9
"""Game hour of the measurement, when people are at work and walk about."""
TIMEOUT_S = 900
"""Wall seconds that the scene may take. Opening half a million memories takes the most of it."""
FIRST_ID = 10_000
"""Above the ids of what people know from the start."""
REFLECTS_EVERY, RESTS_ON = 50, 5
"""One memory in so many is concluded from so many before it."""
_DOES = ("buys bread", "sweeps the floor", "talks about the harvest", "mends a fence", "waits for the rain to end", "plays the fiddle")
_WHERE = ("in the square", "at the mill", "by the river", "in the chapel", "at the market", "behind the school")


@dataclass(frozen=True)
class PanelRow:
    """Milliseconds of the main thread in each frame, with the panel closed or open at one page.

    On Linux this is its processor time, so that it does not count what else runs on the machine.
    """

    page: str
    frames: int
    p50_ms: float
    p99_ms: float
    max_ms: float
    calls: int
    """Calls to the server meanwhile."""
    most_memories: int
    """The most memories that one answer had."""
    answer_p50_ms: float
    """Wall time from a call to its answer, in the game."""
    answer_max_ms: float


@dataclass(frozen=True)
class PanelBench:
    godot: str
    people: int
    memories: int
    rows: tuple[PanelRow, ...]


def bench_panel(godot: Path, project: Path, each: int = MEMORIES, frames: int = FRAMES, hour: int = HOUR) -> PanelBench:
    """`project` is the imported Godot project. Takes about three minutes with 20,000 memories each. Raises NpcServerError."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cast = find_cast(TOWN)
        write_save(folder / "data" / "npc-server-demo" / "npc_saves", cast, each)
        scene = ["panel_cost", f"--town={TOWN}", f"frames={frames}", f"hour={hour}"]
        found = scene_figures(godot, project, scene, folder, "The panel", "socket", TIMEOUT_S)
    return PanelBench(str(found["godot"]), len(cast.people), int(found["memories"]), tuple(_row(page, it) for page, it in found["pages"]))


def write_save(folder: Path, cast: Cast, each: int) -> Path:
    """Makes the save of a town in which everybody has `each` memories of the days before. Returns its file."""
    asyncio.run(_create(folder, cast))
    path = folder / f"{TOWN}.npcsave"
    db = Database(path)
    try:
        with db.conn:
            for number, person in enumerate(cast.people):
                made = _memories_of(person.id, cast.town.start, each)
                memories.insert(db, made, _vectors(number, each))
    finally:
        db.close()
    return path


async def _create(folder: Path, cast: Cast) -> None:
    host = Host(load_settings(save={"folder": folder}), NoModelEngine("No model in this benchmark."), HashedWordsEmbedder())
    try:
        await host.create_save(TOWN, cast.town_file, cast.persona_files, 1, cast.town.start)
    finally:
        await host.close()


def _memories_of(npc: NpcId, now: GameTime, count: int) -> list[Memory]:
    return [_memory(npc, FIRST_ID + i, i, now - (count - i) * MINUTE) for i in range(count)]


def _memory(npc: NpcId, number: int, place: int, at: GameTime) -> Memory:
    text = f"Somebody {_DOES[place % len(_DOES)]} {_WHERE[place // 7 % len(_WHERE)]}, for the {place}th time"
    if place % REFLECTS_EVERY or place < REFLECTS_EVERY:
        return Memory(npc, number, MemoryKind.OBSERVATION, text, at, at, 1 + place % 9, source=MemorySource.SEEN)
    grounds = tuple(number - i for i in range(1, RESTS_ON + 1))
    return Memory(npc, number, MemoryKind.REFLECTION, f"It matters that {text}", at, at, 7, source=MemorySource.THOUGHT, evidence=grounds)


def _vectors(seed: int, count: int) -> NDArray[np.float32]:
    """Unit vectors in random directions, shape (count, dimensions)."""
    found = np.random.default_rng(seed).standard_normal((count, HashedWordsEmbedder().dimensions)).astype(np.float32)
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    return found


def _row(page: str, it: dict[str, list[float] | int]) -> PanelRow:
    costs, took, calls, most = it["costs"], it["took_ms"], it["calls"], it["most"]
    assert isinstance(costs, list)
    assert isinstance(took, list)
    ordered: Sequence[float] = sorted(cost / 1000 for cost in costs)
    answers: Sequence[float] = sorted(took) or (0.0,)
    p99 = ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)]
    assert isinstance(calls, (int, float))
    assert isinstance(most, (int, float))
    return PanelRow(
        page, len(ordered), ordered[len(ordered) // 2], p99, ordered[-1], int(calls), int(most), answers[len(answers) // 2], answers[-1]
    )
