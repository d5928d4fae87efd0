"""The connection of the bridge's Python half, without Godot: what is cancelled leaves nothing behind."""

from __future__ import annotations

import asyncio
import gc
import warnings
from collections.abc import Mapping

import pytest
from npc_bridge.connection import Connection  # type: ignore[import-not-found, unused-ignore]

from npc_server.v1 import npc_pb2


@pytest.mark.parametrize(
    "begin",
    [
        ["connect", 1, "127.0.0.1:9", "token"],
        ["unary", 1, "SaveService/ListSaves", {}],
        ["open", 1, "WorldService/Play"],
        ["open", 1, "DialogueService/Say", {"npc_id": "mara"}],
    ],
)
async def test_call_that_is_cancelled_before_it_began_ends_without_noise(begin: list[object]) -> None:
    said: list[Mapping[str, object]] = []

    def emit(event: Mapping[str, object]) -> int:
        said.append(event)
        return 0

    assert npc_pb2.DESCRIPTOR  # the contract, which the bridge takes from the pool
    connection = Connection(emit)
    connection.command(["connect", 9, "127.0.0.1:9", "token"])
    with warnings.catch_warnings(record=True) as noise:
        warnings.simplefilter("always")
        connection.command(begin)
        connection.command(["cancel", 1])
        await asyncio.sleep(0)
        gc.collect()
    assert [str(warning.message) for warning in noise] == []
    assert all(event.get("id") != 1 for event in said), "who cancels a call hears of it no more"
    await connection.closed()
