from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest
import pytest_asyncio

from npc_server.rpc.server import RunningServer, start_server
from npc_server.v1.npc_pb2_grpc import DialogueServiceStub, MindServiceStub, SaveServiceStub, WorldServiceStub
from tests.rpc.certificates import certificate
from tests.rpc.fakes import FakeHost, settings


@dataclass
class Game:
    """A client with the token, and the fake host behind the server."""

    host: FakeHost
    server: RunningServer
    channel: grpc.aio.Channel

    @property
    def auth(self) -> tuple[tuple[str, str], ...]:
        return (("authorization", f"Bearer {self.server.token}"),)

    @property
    def saves(self) -> Any:
        return SaveServiceStub(self.channel)

    @property
    def world(self) -> Any:
        return WorldServiceStub(self.channel)

    @property
    def dialogue(self) -> Any:
        return DialogueServiceStub(self.channel)

    @property
    def minds(self) -> Any:
        return MindServiceStub(self.channel)


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate for localhost, and its key."""
    return certificate(tmp_path_factory.mktemp("tls"))


@pytest.fixture
def host() -> FakeHost:
    return FakeHost()


@pytest_asyncio.fixture
async def game(host: FakeHost) -> AsyncIterator[Game]:
    server = await start_server(host, settings(), port=0)
    async with grpc.aio.insecure_channel(server.address) as channel:
        yield Game(host, server, channel)
    if host.session_.gate is not None:
        host.session_.gate.set()
    await server.stop(0)
