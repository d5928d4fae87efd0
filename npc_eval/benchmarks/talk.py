"""Measures how long a player waits for an answer in a small and a large town, with npc-rerank and without it.

The lines are those that come with npc-server, each after a pause in which a player reads the answer before it and types.
"""

from __future__ import annotations

import asyncio
import math
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np

from npc_eval.player_lines import PlayerLines, own_lines, read_lines
from npc_server import clock
from npc_server.config import EngineSettings, Settings, load_settings
from npc_server.local.server import local_server, with_own_saves
from npc_server.sandbox.talk import PlayerTalk, talking
from npc_server.sandbox.towns import cast_with

TOWNS = ("millbrook", "alderwick")
TALKS = 6
SEED = 7
PAUSE_S = 2.0
"""Wall seconds before each line."""
Reranker = Literal["npc-rerank", "none"]
RERANKERS: tuple[Reranker, ...] = ("none", "npc-rerank")


@dataclass(frozen=True)
class AnswerWaits:
    """Seconds from a player's line to the first word of its answer, and until it is known what memory and the bank would say."""

    town: str
    reranker: str
    """`engine.reranker`."""
    lines: int
    p50_s: float
    p95_s: float
    known_p50_s: float
    known_p95_s: float
    ratio_p50: float
    """Factor of `p50_s` relative to the first row of the town."""


@dataclass
class _LineWaits:
    first: list[float] = field(default_factory=list)
    known: list[float] = field(default_factory=list)


def bench_talk(settings: EngineSettings, talks: int = TALKS, pause_s: float = PAUSE_S) -> list[AnswerWaits]:
    """Plays the first `talks` talks of each town with and without npc-rerank, and with the model of the settings.

    Raises NpcServerError if a model cannot be run. Must not be called inside an event loop.
    """
    return [row for town in TOWNS for row in _of_town(settings, town, talks, pause_s)]


def _of_town(settings: EngineSettings, town: str, talks: int, pause_s: float) -> Iterator[AnswerWaits]:
    lines = [talk for talk in read_lines(own_lines()) if talk.town == town][:talks]
    waits = {name: _LineWaits() for name in RERANKERS}
    for talk in lines:
        for name in RERANKERS:
            engine = settings.model_dump() | {"reranker": name}
            asyncio.run(_played(load_settings(engine=engine), talk, pause_s, waits[name]))
    plain = float(np.percentile(waits[RERANKERS[0]].first, 50))
    for name, found in waits.items():
        ratio = float(np.percentile(found.first, 50)) / plain
        yield AnswerWaits(town, name, len(found.first), *_percentiles(found.first), *_percentiles(found.known), round(ratio, 2))


def _percentiles(found: Sequence[float]) -> tuple[float, float]:
    p50, p95 = np.percentile(found or [math.nan], [50, 95])
    return round(float(p50), 2), round(float(p95), 2)


async def _played(settings: Settings, talk: PlayerLines, pause_s: float, waits: _LineWaits) -> None:
    cast, npc = cast_with(talk.town, talk.to)
    with tempfile.TemporaryDirectory(prefix="npc-server-bench-") as folder:
        async with (
            local_server(with_own_saves(settings, Path(folder))) as local,
            talking(local.connection, cast, npc, talk.player, clock.parse_datetime(talk.at), SEED) as player,
        ):
            await player.wait(1)
            for line in talk.lines:
                await asyncio.sleep(pause_s)
                began = time.perf_counter()
                # What was asked for or seen needs no choice, and so is known earlier than all that is measured.
                local.host.chooser.watch = lambda choice, began=began: waits.known.append(time.perf_counter() - began)  # type: ignore[misc]
                waits.first.append(await _first_word(player, line))


async def _first_word(player: PlayerTalk, line: str) -> float:
    began, heard = time.perf_counter(), 0.0
    async for _ in player.say(line):
        heard = heard or time.perf_counter()
    return (heard or time.perf_counter()) - began
