"""Where it listens, what its health says, how it ends."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from npc_server.errors import BadInput
from npc_server.llm.engine import EngineStatus
from npc_server.records import Notice, NoticeLevel
from npc_server.rpc import server
from npc_server.rpc.server import is_loading, is_loopback, start_server
from npc_server.v1 import npc_pb2 as pb
from npc_server.v1.npc_pb2_grpc import SaveServiceStub
from tests.rpc.certificates import certificate
from tests.rpc.conftest import Game
from tests.rpc.fakes import FakeHost, settings
from tests.rpc.test_play import Stream
from tests.waiting import LIMIT_S, until

TOKEN = "one-that-nobody-guesses"
SERVING, NOT_SERVING = health_pb2.HealthCheckResponse.SERVING, health_pb2.HealthCheckResponse.NOT_SERVING


def auth(token: str) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {token}"),)


async def list_saves(channel: grpc.aio.Channel, token: str) -> Any:
    stub: Any = SaveServiceStub(channel)
    return await stub.ListSaves(pb.ListSavesRequest(), metadata=auth(token), timeout=LIMIT_S)


async def health_of(game: Game, service: str = "") -> int:
    stub: Any = health_pb2_grpc.HealthStub(game.channel)
    answer = await stub.Check(health_pb2.HealthCheckRequest(service=service), metadata=game.auth)
    return int(answer.status)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.7", "example.org", ""])
async def test_address_that_others_can_reach_is_refused_without_tls(host: str) -> None:
    with pytest.raises(BadInput, match="there is no TLS") as caught:
        await start_server(FakeHost(), settings(host=host), port=0)
    assert "server.insecure_network" in caught.value.fix


@pytest.mark.parametrize(("token", "held"), [("", "is empty"), ("short", "has 5 characters")])
async def test_address_that_others_can_reach_is_refused_without_a_token_of_its_own(token: str, held: str) -> None:
    with pytest.raises(BadInput, match=f"server.token {held}") as caught:
        await start_server(FakeHost(), settings(host="0.0.0.0", insecure_network=True, token=token), port=0)
    assert "npc/server/token" in caught.value.fix


async def test_address_that_others_can_reach_is_served_when_it_was_asked_for() -> None:
    server = await start_server(FakeHost(), settings(host="0.0.0.0", insecure_network=True, token=TOKEN), port=0)
    async with grpc.aio.insecure_channel(server.address.replace("0.0.0.0", "127.0.0.1")) as channel:
        await list_saves(channel, server.token)
    await server.stop(0)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.3.2.1", "::1", "localhost"])
def test_loopback_is_known_by_each_of_its_names(host: str) -> None:
    assert is_loopback(host)


async def test_ipv6_loopback_is_served_at_the_address_it_tells() -> None:
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        pytest.skip("this machine has no IPv6")
    server = await start_server(FakeHost(), settings(host="[::1]"), port=0)
    assert server.address.startswith("[::1]:")
    async with grpc.aio.insecure_channel(server.address) as channel:
        await list_saves(channel, server.token)
    await server.stop(0)


async def test_tls_serves_who_trusts_it_and_nobody_in_the_clear(tmp_path: Path) -> None:
    cert, key = certificate(tmp_path)
    server = await start_server(FakeHost(), settings(host="0.0.0.0", tls_cert=cert, tls_key=key, token=TOKEN), port=0)
    address = server.address.replace("0.0.0.0", "127.0.0.1")
    async with grpc.aio.secure_channel(address, grpc.ssl_channel_credentials(cert.read_bytes())) as channel:
        await list_saves(channel, server.token)
    async with grpc.aio.insecure_channel(address) as channel:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await list_saves(channel, server.token)
    assert caught.value.code() is grpc.StatusCode.UNAVAILABLE
    await server.stop(0)


@pytest.mark.parametrize("spoilt", ["missing", "not PEM", "key of another", "only one"])
async def test_tls_files_that_do_not_do_are_refused(tmp_path: Path, spoilt: str) -> None:
    cert, key = certificate(tmp_path)
    values: dict[str, object] = {"tls_cert": cert, "tls_key": key}
    if spoilt == "missing":
        values["tls_key"] = tmp_path / "none.pem"
    elif spoilt == "not PEM":
        cert.write_text("hello")
    elif spoilt == "key of another":
        values["tls_key"] = certificate(tmp_path / "b")[1]
    else:
        del values["tls_cert"]
    with pytest.raises(BadInput):
        await start_server(FakeHost(), settings(**values), port=0)


async def test_port_in_use_is_a_clear_error(game: Game) -> None:
    port = int(game.server.address.rpartition(":")[2])
    with pytest.raises(BadInput, match=f"Cannot listen on 127.0.0.1:{port}") as caught:
        await start_server(FakeHost(), settings(), port=port)
    assert "another port" in caught.value.fix


async def test_address_that_is_not_this_machines_is_a_clear_error() -> None:
    with pytest.raises(BadInput, match="Cannot listen on"):
        await start_server(FakeHost(), settings(host="203.0.113.7", insecure_network=True, token=TOKEN), port=0)


async def test_token_is_fresh_at_each_start_unless_it_is_set() -> None:
    tokens = set()
    for given in (None, None, "mine"):
        server = await start_server(FakeHost(), settings(token="kept" if given else ""), port=0, token=given)
        tokens.add(server.token)
        await server.stop(0)
    assert len(tokens) == 3
    assert "mine" in tokens
    assert all(len(token) >= 40 for token in tokens - {"mine"})


@pytest.mark.parametrize("token", ["two words", "café", "line\nbreak"])
async def test_token_that_metadata_cannot_carry_is_refused(token: str) -> None:
    with pytest.raises(BadInput, match="token"):
        await start_server(FakeHost(), settings(), port=0, token=token)


async def test_health_says_not_serving_until_the_model_is_loaded(host: FakeHost) -> None:
    host.engine.now = EngineStatus(ready=False, model="small.gguf")
    server = await start_server(host, settings(), port=0)
    async with grpc.aio.insecure_channel(server.address) as channel:
        game = Game(host, server, channel)
        assert await health_of(game) == NOT_SERVING
        assert await health_of(game, "npc_server.v1.DialogueService") == NOT_SERVING
        assert await health_of(game, "npc_server.v1.SaveService") == SERVING
        host.engine.now = EngineStatus(ready=True, model="small.gguf")
        while await health_of(game) != SERVING:
            await asyncio.sleep(0.05)
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await health_of(game, "no.Service")
        assert caught.value.code() is grpc.StatusCode.NOT_FOUND
    await server.stop(0)


@pytest.mark.parametrize(
    ("status", "loading"),
    [
        (EngineStatus(ready=False, model="m"), True),
        (EngineStatus(ready=True, model="m"), False),
        (EngineStatus(ready=False), False),
        (EngineStatus(ready=False, problem="No model is configured."), False),
        (EngineStatus(ready=False, model="m", problem="The model is cut short."), False),
    ],
)
def test_model_that_is_absent_or_refused_is_not_waited_for(status: EngineStatus, loading: bool) -> None:
    assert is_loading(status) is loading


async def test_message_over_the_limit_is_refused_and_the_server_goes_on(host: FakeHost) -> None:
    server = await start_server(host, settings(max_message_bytes=65536), port=0)
    async with grpc.aio.insecure_channel(server.address) as channel:
        stub: Any = SaveServiceStub(channel)
        long = pb.CreateSaveRequest(slot="a", town=pb.Document(name="t", text="x" * 70_000))
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await stub.CreateSave(long, metadata=auth(server.token))
        assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        await list_saves(channel, server.token)
    await server.stop(0)


async def test_save_goes_on_to_its_end_when_the_game_hangs_up_and_stop_waits_for_it(game: Game) -> None:
    session = game.host.session_
    gate = session.gate = asyncio.Event()
    call = game.saves.SaveGame(pb.SaveGameRequest(session_id="s1"), metadata=game.auth)
    await until(lambda: game.server._saves._running)
    call.cancel()
    stopping = asyncio.ensure_future(game.server.stop(0))
    await asyncio.sleep(0.1)
    assert not stopping.done()
    gate.set()
    await asyncio.wait_for(stopping, LIMIT_S)
    assert session.takes == [[-1]]


async def test_stopping_twice_and_stopping_with_a_silent_game_both_end(game: Game) -> None:
    stream = Stream(game)
    await stream.hello()
    await asyncio.wait_for(game.server.stop(0.2), LIMIT_S)
    await asyncio.wait_for(game.server.stop(0.2), LIMIT_S)
    with pytest.raises(grpc.aio.AioRpcError):
        await list_saves(game.channel, game.server.token)


async def test_a_model_that_is_given_up_is_told_to_the_game_once(game: Game) -> None:
    engine = game.host.engine
    engine.now = EngineStatus(ready=False, model="m", problem="The model is loading.")
    call = game.world.Play(metadata=game.auth)
    await call.write(pb.PlayRequest(session_id="s1", epoch=3))
    assert (await call.read()).events[0].HasField("welcome")
    engine.now = EngineStatus(ready=False, problem="The model ended 5 times in a row and is given up.")
    notice = (await asyncio.wait_for(call.read(), LIMIT_S)).events[0].notice
    assert (notice.reason, notice.level) == ("MODEL_GIVEN_UP", pb.NOTICE_LEVEL_ERROR)
    assert "is given up" in notice.message
    await asyncio.sleep(3 * server.HEALTH_POLL_S)  # it is looked at again and again
    game.host.session_.tell(Notice(NoticeLevel.INFO, "NEXT", "the next thing"))
    assert (await asyncio.wait_for(call.read(), LIMIT_S)).events[0].notice.reason == "NEXT"
    call.cancel()


async def test_a_model_whose_answers_cannot_be_used_is_told_to_the_game_once(game: Game) -> None:
    engine = game.host.engine
    engine.now = EngineStatus(ready=True, model="qwen3:4b")
    call = game.world.Play(metadata=game.auth)
    await call.write(pb.PlayRequest(session_id="s1", epoch=3))
    assert (await call.read()).events[0].HasField("welcome")
    engine.now = EngineStatus(ready=True, model="qwen3:4b", problem="The last 3 answers could not be used.")
    notice = (await asyncio.wait_for(call.read(), LIMIT_S)).events[0].notice
    assert (notice.reason, notice.level) == ("MODEL_UNUSABLE", pb.NOTICE_LEVEL_WARNING)
    assert notice.message == "The last 3 answers could not be used."
    await asyncio.sleep(3 * server.HEALTH_POLL_S)  # it is looked at again and again
    game.host.session_.tell(Notice(NoticeLevel.INFO, "NEXT", "the next thing"))
    assert (await asyncio.wait_for(call.read(), LIMIT_S)).events[0].notice.reason == "NEXT"
    call.cancel()


async def test_that_no_model_here_can_be_used_is_a_warning_once_and_no_error(game: Game) -> None:
    engine = game.host.engine
    engine.now = EngineStatus(ready=False, model="m", problem="The model is loading.")
    call = game.world.Play(metadata=game.auth)
    await call.write(pb.PlayRequest(session_id="s1", epoch=3))
    assert (await call.read()).events[0].HasField("welcome")
    engine.now = EngineStatus(ready=False, problem="All are too slow.", choice="All are too slow.")
    notice = (await asyncio.wait_for(call.read(), LIMIT_S)).events[0].notice
    assert (notice.reason, notice.level, notice.message) == ("NO_MODEL", pb.NOTICE_LEVEL_WARNING, "All are too slow.")
    call.cancel()
