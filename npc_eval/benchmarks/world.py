"""Measures the time to register a large world, and how long other work waits for it."""

from __future__ import annotations

import asyncio
import gc
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from npc_eval.benchmarks.saves import watched
from npc_server.config import load_settings
from npc_server.llm.embed import HashedWordsEmbedder
from npc_server.llm.no_model import NoModelEngine
from npc_server.sandbox.towns import find_cast
from npc_server.session.host import Host
from npc_server.session.session import Session
from npc_server.v1 import npc_pb2 as pb
from npc_server.wire import convert, fields


@dataclass(frozen=True)
class WorldFigure:
    """The registration of all nodes, in calls of at most 10,000."""

    what: str
    nodes: int
    calls: int
    seconds: float
    cpu_s: float
    longest_stall_ms: float
    longest_ack_ms: float


def world(nodes: int = 100_000, town: str = "millbrook") -> list[WorldFigure]:
    """Runs the benchmark in a temporary folder, without a model. Blocks."""
    return asyncio.run(_world(nodes, town))


async def _world(count: int, town: str) -> list[WorldFigure]:
    calls = messages(town, count)
    with tempfile.TemporaryDirectory(prefix="npc-server-bench-") as folder:
        cast = find_cast(town)
        host = Host(load_settings(save={"folder": Path(folder)}), NoModelEngine("This is a measurement."), HashedWordsEmbedder())
        await host.create_save("large", cast.town_file, cast.persona_files, 1, 0)
        session = await host.open_save("large")
        gc.collect()
        gc.freeze()
        reader = convert.NodeReader()
        try:
            found = []
            for what in ("register", "register again"):
                _, *figures = await watched(_register(session, reader, calls), session)
                found.append(WorldFigure(what, count, len(calls), *figures))
        finally:
            await host.close()
    return found


async def _register(session: Session, reader: convert.NodeReader, calls: Sequence[bytes]) -> None:
    for raw in calls:
        request = pb.RegisterWorldRequest.FromString(raw)
        await session.register_world(await asyncio.to_thread(reader.read, request.nodes))


def messages(town: str, count: int) -> list[bytes]:
    """Makes the messages of a game. Each message has a part of the town, full of objects with two states."""
    made: list[bytes] = []
    for first in range(0, count, fields.MAX_NODES):
        wing = f"{town}:w{first}"
        nodes = [pb.WorldNode(address=wing, kind=pb.NODE_KIND_SECTOR, name=f"wing {first}")]
        for n in range(first + 1, min(first + fields.MAX_NODES, count)):
            thing = pb.WorldNode(address=f"{wing}:o{n}", kind=pb.NODE_KIND_OBJECT, name=f"thing {n}", state="off", states=["off", "on"])
            nodes.append(thing)
        made.append(pb.RegisterWorldRequest(nodes=nodes).SerializeToString())
    return made
