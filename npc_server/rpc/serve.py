"""Runs the server as a process of its own. This is what `npc-server serve` does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from npc_server import interpreter
from npc_server.config import Settings
from npc_server.llm.start import open_embedder, open_engine
from npc_server.platform.signals import stop_on_signals
from npc_server.rpc.ready_file import ready_file
from npc_server.rpc.server import RunningServer, start_server
from npc_server.rpc.stopping import stop_after_process
from npc_server.session.host import Host


async def serve(settings: Settings, *, ready: Path | None = None, parent_pid: int | None = None) -> None:
    """Serves until a signal comes or the process `parent_pid` ends. Then it ends streams, cancels thoughts and checkpoints the saves.

    `ready` is the path of the ready file. Raises BadInput for settings that cannot work.
    """
    stop = asyncio.Event()
    with stop_on_signals(stop):
        async with open_server(settings) as server, stop_after_process(parent_pid, stop):
            interpreter.prepare()
            with ready_file(ready, server.address, server.token, server.socket):
                await stop.wait()


@asynccontextmanager
async def open_server(settings: Settings, make_host: Callable[..., Host] = Host) -> AsyncIterator[RunningServer]:
    """Opens engine, embedder, host and server for a `with` block. The server listens while the model loads, and its health says so."""
    engine = await open_engine(settings.engine, wait=False)
    embedder = await open_embedder(settings.engine)
    host = make_host(settings, engine, embedder)
    try:
        running = await start_server(host, settings.server)
        try:
            yield running
        finally:
            await running.stop()
    finally:
        await host.close()
