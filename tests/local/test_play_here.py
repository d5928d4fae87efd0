"""A town is played in the process of its server without the network, and nothing else is different."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from npc_eval.simulation.report import as_json
from npc_eval.simulation.run import Simulation, simulate
from npc_server.config import load_settings
from npc_server.errors import NoSession, Stopping
from npc_server.local.play_here import ConnectionHere
from npc_server.local.server import Local, local_server
from npc_server.records import Clock
from npc_server.sandbox.client import PlayClient, playing
from npc_server.sandbox.connection import OpenedSave
from npc_server.sandbox.towns import find_cast
from tests.waiting import LIMIT_S

PEOPLE = ["mara_voss", "tobin_hale", "ines_calder"]


@pytest.fixture(autouse=True)
def without_embeddings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPC_SERVER_ENGINE__EMBEDDING_MODEL", "none")


async def opened(local: Local) -> OpenedSave:
    cast = find_cast("millbrook", PEOPLE)
    await local.connection.create_save("one", cast.town_file, cast.persona_files, 1, cast.town.start)
    return await local.connection.open_save("one")


async def played(folder: Path, *, has_player: bool) -> dict[str, Any]:
    settings = load_settings(save={"folder": folder}, engine={"model": "none"})
    async with local_server(settings, has_player=has_player) as local:
        assert isinstance(local.connection, ConnectionHere) is not has_player
        return as_json(await simulate(local.connection, find_cast("millbrook", PEOPLE), Simulation("one", 3, 0.2)))


async def test_the_same_seed_gives_the_same_day_with_and_without_a_network(tmp_path: Path) -> None:
    over, here = await played(tmp_path / "over", has_player=True), await played(tmp_path / "here", has_player=False)
    assert over["actions"]
    for part in ("actions", "speeches", "memories_by_npc"):
        assert over[part] == here[part]


async def test_a_game_that_leaves_keeps_no_stream_of_the_server_open(tmp_path: Path) -> None:
    async with local_server(load_settings(save={"folder": tmp_path}, engine={"model": "none"}), has_player=False) as local:
        save = await opened(local)
        async with playing(local.connection, save) as client:
            client.send([Clock(save.now + 60, lockstep=True)])
            assert await client.stored()
        assert isinstance(local.connection, ConnectionHere)
        await asyncio.wait_for(local.connection.servicer.end_streams(Stopping("The test is over.", "Start another.")), LIMIT_S)


async def test_what_ends_the_stream_reaches_the_game(tmp_path: Path) -> None:
    async with local_server(load_settings(save={"folder": tmp_path}, engine={"model": "none"}), has_player=False) as local:
        client = PlayClient(local.connection, OpenedSave("nobody", "one", 1, 0, (), 0))
        client.start()
        with pytest.raises(NoSession):
            await asyncio.wait_for(client.receive(), LIMIT_S)
        await client.close()
