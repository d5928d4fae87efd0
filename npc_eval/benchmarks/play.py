"""Measures the time until a perception is acknowledged, which means stored. It uses a real gRPC channel and save, and no model."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import numpy as np

from npc_server.config import Settings, load_settings
from npc_server.errors import NpcServerError
from npc_server.llm.embed import HashedWordsEmbedder
from npc_server.llm.no_model import NoModelEngine
from npc_server.rpc.server import start_server
from npc_server.sandbox.towns import find_cast
from npc_server.session.host import Host
from npc_server.v1 import npc_pb2 as pb
from npc_server.v1.npc_pb2_grpc import SaveServiceStub, WorldServiceStub
from npc_server.wire import convert

WARM_UP = 20
"""Number of first messages that are not counted, because they open connections and fill caches."""


@dataclass(frozen=True)
class AckFigure:
    """Milliseconds from a message with `events` perceptions to its acknowledgement, one message after the other."""

    events: int
    messages: int
    median_ms: float
    p99_ms: float
    events_per_s: float


def acknowledgements(sizes: Sequence[int] = (1, 25), messages: int = 300) -> list[AckFigure]:
    """Runs the benchmark in a temporary folder, and blocks. The clock stands still, so that no mind thinks."""
    return [asyncio.run(_acknowledgements(size, messages)) for size in sizes]


async def _acknowledgements(size: int, messages: int) -> AckFigure:
    with tempfile.TemporaryDirectory(prefix="npc-server-bench-") as folder:
        settings = load_settings(save={"folder": Path(folder)}, server={"host": "127.0.0.1", "port": 0, "token": ""})
        host = Host(settings, NoModelEngine("This is a measurement."), HashedWordsEmbedder())
        try:
            waits = await _measure(host, settings, size, messages)
        finally:
            await host.close()
    return AckFigure(
        events=size,
        messages=messages,
        median_ms=float(np.median(waits)),
        p99_ms=float(np.percentile(waits, 99)),
        events_per_s=1000 * size * len(waits) / float(np.sum(waits)),
    )


async def _measure(host: Host, settings: Settings, size: int, messages: int) -> list[float]:
    cast = find_cast("millbrook")
    people = [convert.document_to_wire(document) for document in cast.persona_files]
    server = await start_server(host, settings.server)
    auth = (("authorization", f"Bearer {server.token}"),)
    try:
        async with grpc.aio.insecure_channel(server.address) as channel:
            saves: Any = SaveServiceStub(channel)
            world: Any = WorldServiceStub(channel)
            town = convert.document_to_wire(cast.town_file)
            await saves.CreateSave(pb.CreateSaveRequest(slot="bench", town=town, personas=people), metadata=auth)
            opened = await saves.OpenSave(pb.OpenSaveRequest(slot="bench"), metadata=auth)
            call = world.Play(metadata=auth)
            await call.write(pb.PlayRequest(session_id=opened.session_id, epoch=opened.epoch))
            npcs, waits = list(opened.npc_ids), []
            for number in range(WARM_UP + messages):
                first = number * size + 1
                request = pb.PlayRequest(epoch=opened.epoch, events=[_event(seq, npcs) for seq in range(first, first + size)])
                began = time.perf_counter()
                await call.write(request)
                await _acknowledged(call, first + size - 1)
                waits.append(1000 * (time.perf_counter() - began))
            call.cancel()
    finally:
        await server.stop(0)
    return waits[WARM_UP:]


def _event(seq: int, npcs: Sequence[str]) -> pb.GameEvent:
    seen = pb.Perception(npc_id=npcs[seq % len(npcs)], kind=pb.PERCEPTION_KIND_EVENT, text=f"Bell number {seq} rings.", distance_m=3)
    return pb.GameEvent(seq=seq, perception=seen)


async def _acknowledged(call: Any, seq: int) -> None:
    while True:
        response = await call.read()
        if response is grpc.aio.EOF:
            raise NpcServerError("The stream ended during the measurement.", "See the server's log.")
        if any(event.ack.seq >= seq for event in response.events if event.HasField("ack")):
            return
