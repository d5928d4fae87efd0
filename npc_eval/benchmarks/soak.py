"""Lets people live by a real model for long, with many events a second, and looks for what grows, stays, or is not counted."""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import dataclass
from pathlib import Path

from npc_eval.benchmarks.apart import Apart, ServerLook, server_apart
from npc_eval.benchmarks.feed import feeding
from npc_server.config import EngineSettings, load_settings
from npc_server.memory import ledger
from npc_server.memory.database import reading
from npc_server.memory.suffix import SUFFIX
from npc_server.sandbox.towns import find_cast

SLOT = "soak"
EVENTS_PER_S = 200.0
SPEED = 10.0
"""Game seconds in a wall second."""
WARM_S = 300.0
"""Wall seconds after which memory is measured first. A shorter soak takes half its time."""
LOOK_S = 5.0
END_S = 1800.0
"""Most wall seconds until everybody has finished what they thought when the events ended."""


@dataclass(frozen=True)
class SoakFigure:
    """What was seen over the whole run."""

    minutes: float
    people: int
    events: int
    thoughts: int
    answers: int
    """Replies of the model."""
    failures: int
    """Questions that the engine refused or could not answer."""
    memory_first_mb: float
    """Resident memory of the server and the model's process when it was warm."""
    memory_end_mb: float
    ratio: float
    stuck: int
    """People at work and requests with the model, after everything had the time to end."""
    ledger_is_equal: bool
    """Whether the ledger of the save and the engine counted the same replies, prompt tokens and reply tokens."""


def soak(engine: EngineSettings, model: str, minutes: float, town: str = "alderwick", events_per_s: float = EVENTS_PER_S) -> SoakFigure:
    """Runs for so many wall minutes in a temporary folder. Blocks. Raises ModelMissing."""
    return asyncio.run(_soak(engine, model, minutes, town, events_per_s))


async def _soak(engine: EngineSettings, model: str, minutes: float, town: str, events_per_s: float) -> SoakFigure:
    cast = find_cast(town)
    with tempfile.TemporaryDirectory(prefix="npc-server-bench-") as folder:
        settings = load_settings(
            save={"folder": Path(folder)},
            server={"host": "127.0.0.1", "port": 0, "token": ""},
            engine=engine.model_dump() | {"model": model, "embedding_model": "none"},
            mind={"by_instinct": []},  # a small model is asked everything, too
        )
        async with server_apart(settings) as server:
            async with feeding(server.address, server.token, cast, SLOT, events_per_s, SPEED) as feed:
                warm = await _after(server, min(WARM_S, 30 * minutes))
                end = await _after(server, 60 * minutes - min(WARM_S, 30 * minutes))
                feed.rest()
                left = await _until_idle(server)
            counted = await server.look()
        with reading(Path(folder) / f"{SLOT}{SUFFIX}") as db:
            noted = ledger.answered(db)
    return SoakFigure(
        minutes=minutes,
        people=len(cast.people),
        events=feed.sent,
        thoughts=left.thoughts,
        answers=counted.answers,
        failures=counted.failures,
        memory_first_mb=warm.memory_mb,
        memory_end_mb=end.memory_mb,
        ratio=end.memory_mb / warm.memory_mb,
        stuck=left.at_work + left.running + left.waiting,
        ledger_is_equal=noted == (counted.answers, counted.prompt_tokens, counted.reply_tokens),
    )


async def _after(server: Apart, seconds: float) -> ServerLook:
    """What is seen after so many seconds. It looks now and then, so that the server does not keep all delays of its loop."""
    until = asyncio.get_running_loop().time() + seconds
    while (rest := until - asyncio.get_running_loop().time()) > 0:
        await asyncio.sleep(min(rest, LOOK_S))
        await server.look()
    return await server.look()


async def _until_idle(server: Apart) -> ServerLook:
    """What is seen when nobody thinks any more, or after `END_S`."""
    until = asyncio.get_running_loop().time() + END_S
    while True:
        seen = await _after(server, 1.0)
        if not seen.at_work + seen.running + seen.waiting or asyncio.get_running_loop().time() > until:
            return seen
