"""Measures how long a player waits for an answer in Millbrook, with npc-rerank and without it.

The lines are those that come with npc-server, each after a pause in which a player reads the answer before it and types.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from npc_eval.player_lines import PlayerLines, own_lines, read_lines
from npc_server import clock
from npc_server.config import EngineSettings, Settings, load_settings
from npc_server.local.server import local_server, with_own_saves
from npc_server.sandbox.talk import PlayerTalk, talking
from npc_server.sandbox.towns import cast_with

TOWN = "millbrook"
TALKS = 6
SEED = 7
PAUSE_S = 2.0
"""Wall seconds before each line."""
Reranker = Literal["npc-rerank", "none"]
RERANKERS: tuple[Reranker, ...] = ("none", "npc-rerank")


@dataclass(frozen=True)
class AnswerWaits:
    """Seconds from a player's line to the first word of its answer."""

    reranker: str
    """`engine.reranker`."""
    lines: int
    p50_s: float
    p95_s: float
    ratio_p50: float
    """Factor relative to the first row."""


def bench_talk(settings: EngineSettings, talks: int = TALKS, pause_s: float = PAUSE_S) -> list[AnswerWaits]:
    """Plays the first `talks` talks in Millbrook, each with and without npc-rerank.

    Raises NpcServerError if a model cannot be run. Must not be called inside an event loop.
    """
    lines = [talk for talk in read_lines(own_lines()) if talk.town == TOWN][:talks]
    waits: dict[str, list[float]] = {name: [] for name in RERANKERS}
    for talk in lines:
        for name in RERANKERS:
            engine = settings.model_dump() | {"reranker": name}
            waits[name] += asyncio.run(_waits(load_settings(engine=engine), talk, pause_s))
    return list(_figures(waits))


def _figures(waits: dict[str, list[float]]) -> Iterator[AnswerWaits]:
    plain = float(np.percentile(waits[RERANKERS[0]], 50))
    for name, found in waits.items():
        p50, p95 = np.percentile(found, [50, 95])
        yield AnswerWaits(name, len(found), round(float(p50), 2), round(float(p95), 2), round(float(p50) / plain, 2))


async def _waits(settings: Settings, talk: PlayerLines, pause_s: float) -> Sequence[float]:
    cast, npc = cast_with(talk.town, talk.to)
    found: list[float] = []
    with tempfile.TemporaryDirectory(prefix="npc-server-bench-") as folder:
        async with (
            local_server(with_own_saves(settings, Path(folder))) as local,
            talking(local.connection, cast, npc, talk.player, clock.parse_datetime(talk.at), SEED) as player,
        ):
            await player.wait(1)
            for line in talk.lines:
                await asyncio.sleep(pause_s)
                found.append(await _first_word(player, line))
    return found


async def _first_word(player: PlayerTalk, line: str) -> float:
    began, heard = time.perf_counter(), 0.0
    async for _ in player.say(line):
        heard = heard or time.perf_counter()
    return (heard or time.perf_counter()) - began
