"""The bridge's thread: takes the game's commands out of the native queue and runs them on an asyncio loop."""

from __future__ import annotations

import asyncio
import importlib
import os
import sys
from collections.abc import Callable, Mapping
from typing import Any

from npc_bridge.connection import Connection
from npc_server.wire.call_error import CallError
from npc_server.wire.calls import commands
from npc_server.wire.variants import call_id, decode, encode

CONTRACT = ("npc_server.v1.npc_pb2", "grpc_health.v1.health_pb2")
SWITCH_INTERVAL_S = 0.0005
"""The game's thread never asks for Python's lock; this only keeps gRPC's own threads lively."""


def run(ffi: Any, lib: Any) -> None:
    """Until the game ends. `ffi` and `lib` are cffi's for the functions in bridge.c."""
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    for module in CONTRACT:
        importlib.import_module(module)
    # Not asyncio.run: it would take Ctrl-C for itself, and that belongs to the game.
    loop = asyncio.new_event_loop()
    try:
        loop.run_until_complete(_serve(ffi, lib))
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()


async def _serve(ffi: Any, lib: Any) -> None:
    loop, woken = asyncio.get_running_loop(), asyncio.Event()
    pipe = lib.npc_wake_fd()

    def wake() -> None:
        os.read(pipe, 4096)
        woken.set()

    loop.add_reader(pipe, wake)
    connections: dict[int, Connection] = {}
    while not lib.npc_stopping():
        woken.clear()
        while (taken := _take(ffi, lib)) is not None:
            bridge, data = taken
            if not data:
                gone = connections.pop(bridge, None)
                if gone is not None:
                    gone.disconnect()
                continue
            if bridge not in connections:
                connections[bridge] = Connection(_emitter(lib, bridge))
            _obey(connections[bridge], data, _emitter(lib, bridge))
        await woken.wait()
    await asyncio.gather(*(connection.closed() for connection in connections.values()))
    loop.remove_reader(pipe)


def _take(ffi: Any, lib: Any) -> tuple[int, bytes] | None:
    bridge, data, size = ffi.new("int64_t *"), ffi.new("char **"), ffi.new("size_t *")
    taken = lib.npc_take(bridge, data, size)
    if taken == ffi.NULL:
        return None
    try:
        return bridge[0], bytes(ffi.buffer(data[0], size[0]))
    finally:
        lib.npc_free(taken)


def _emitter(lib: Any, bridge: int) -> Callable[[Mapping[str, object]], int]:
    def emit(event: Mapping[str, object]) -> int:
        data = encode(event) if event else b""
        return int(lib.npc_give(bridge, data, len(data)))

    return emit


def _obey(connection: Connection, data: bytes, emit: Callable[[Mapping[str, object]], int]) -> None:
    try:
        for command in commands(decode(data)):
            connection.command(command)
    except CallError as error:
        emit({"id": call_id(data), **error.event()})
