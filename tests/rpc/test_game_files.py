"""A game's own saves and files over a real server: whose save it is, what changed, and what is taken over."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import grpc
import pytest_asyncio

from npc_server.config import load_settings
from npc_server.llm.absent import AbsentEngine
from npc_server.llm.embed import HashedWordsEmbedder
from npc_server.records import Document
from npc_server.rpc.server import start_server
from npc_server.session import Host
from npc_server.v1 import npc_pb2 as pb
from tests.rpc.conftest import Game
from tests.rpc.test_interceptors import failure, info_of
from tests.session.conftest import personas, town

GAME = "harbor-tale"


def sent(document: Document) -> pb.Document:
    return pb.Document(name=document.name, text=document.text, path=document.path)


def edited(document: Document, old: str, new: str) -> Document:
    assert old in document.text
    return replace(document, text=document.text.replace(old, new, 1))


@dataclass
class Real(Game):
    async def open(self, **request: Any) -> pb.OpenSaveResponse:
        answer: pb.OpenSaveResponse = await self.saves.OpenSave(pb.OpenSaveRequest(slot="one", **request), metadata=self.auth)
        return answer


@pytest_asyncio.fixture
async def real(tmp_path: Path) -> AsyncIterator[Real]:
    """A server with a save of Millbrook in the slot `one`."""
    every = load_settings(save={"folder": tmp_path / "saves"}, server={"port": 0, "stop_grace_s": 0.5})
    host = Host(every, AbsentEngine("There is none."), HashedWordsEmbedder())
    server = await start_server(host, every.server)
    async with grpc.aio.insecure_channel(server.address) as channel:
        view: Any = host
        game = Real(view, server, channel)
        request = pb.CreateSaveRequest(slot="one", town=sent(town()), personas=map(sent, personas()), seed=7, game=GAME)
        made = await game.saves.CreateSave(request, metadata=game.auth)
        assert (made.save.game, made.save.town_id) == (GAME, "millbrook")
        yield game
    await server.stop(0)
    await host.close()


async def test_another_games_save_is_refused_with_its_reason_and_both_names(real: Real) -> None:
    error = await failure(real.saves.OpenSave(pb.OpenSaveRequest(slot="one", game="wild-west"), metadata=real.auth))
    assert error.code() is grpc.StatusCode.FAILED_PRECONDITION
    assert (info_of(error).reason, dict(info_of(error).metadata)) == (
        "SAVE_OF_ANOTHER_GAME",
        {"slot": "one", "game": GAME, "asked_by": "wild-west"},
    )
    assert (await real.open(game=GAME)).save.game == GAME


async def test_a_save_of_another_town_is_refused_with_its_reason(real: Real) -> None:
    other = sent(edited(town(), "id: millbrook", "id: alderwick"))
    error = await failure(real.saves.OpenSave(pb.OpenSaveRequest(slot="one", town=other), metadata=real.auth))
    assert (error.code(), info_of(error).reason) == (grpc.StatusCode.FAILED_PRECONDITION, "SAVE_OF_ANOTHER_TOWN")


async def test_opening_tells_which_files_changed(real: Real) -> None:
    mara, *rest = personas()
    answer = await real.open(game=GAME, town=sent(town()), personas=map(sent, [edited(mara, "age: 34", "age: 35"), *rest]))
    assert list(answer.changes) == [
        pb.FileChange(file=mara.name, npc_id="mara_voss", kind=pb.CHANGE_KIND_CHANGED, summary=f"{mara.name}: age changed.")
    ]
