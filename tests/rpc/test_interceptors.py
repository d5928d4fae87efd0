"""The token on every call, and errors as rich statuses."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import grpc
import pytest
import structlog
from google.rpc import error_details_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from grpc_status import rpc_status
from structlog.testing import LogCapture

from npc_server import errors
from npc_server.errors import BadInput, FileProblem, NpcServerError, Problem
from npc_server.rpc import interceptors, status
from npc_server.v1 import npc_pb2 as pb
from tests.rpc.conftest import Game
from tests.rpc.fakes import every_error
from tests.waiting import LIMIT_S


async def failure(call: Any) -> grpc.aio.AioRpcError:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await asyncio.wait_for(_finished(call), LIMIT_S)
    return caught.value


async def _finished(call: Any) -> None:
    if hasattr(call, "__aiter__"):
        async for _ in call:
            pass
    else:
        await call


def info_of(error: grpc.aio.AioRpcError) -> error_details_pb2.ErrorInfo:
    call: Any = error
    whole = rpc_status.from_call(call)
    info = error_details_pb2.ErrorInfo()
    assert whole is not None
    assert whole.details[0].Unpack(info)
    return info


def calls(game: Game, metadata: Any) -> dict[str, Any]:
    channel: Any = game.channel
    health: Any = health_pb2_grpc.HealthStub(channel)
    reflection: Any = reflection_pb2_grpc.ServerReflectionStub(channel)

    async def one_request() -> Any:
        yield reflection_pb2.ServerReflectionRequest(list_services="")

    async def one_play() -> Any:
        yield pb.PlayRequest(session_id="s1")

    return {
        "unary": lambda: game.saves.ListSaves(pb.ListSavesRequest(), metadata=metadata),
        "server stream": lambda: game.dialogue.Say(pb.SayRequest(), metadata=metadata),
        "both streams": lambda: game.world.Play(one_play(), metadata=metadata),
        "health": lambda: health.Check(health_pb2.HealthCheckRequest(), metadata=metadata),
        "health watch": lambda: health.Watch(health_pb2.HealthCheckRequest(), metadata=metadata),
        "reflection": lambda: reflection.ServerReflectionInfo(one_request(), metadata=metadata),
        "unknown call": lambda: channel.unary_unary("/npc_server.v1.NoService/No")(b"", metadata=metadata),
    }


async def test_a_refused_call_is_logged_and_a_slot_that_is_not_there_yet_is_no_news(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    logs = LogCapture()
    # Of its own, since a command that ran before in this process may have silenced all others.
    monkeypatch.setattr(interceptors, "_log", structlog.wrap_logger(None, processors=[logs], wrapper_class=structlog.stdlib.BoundLogger))
    await failure(game.saves.OpenSave(pb.OpenSaveRequest(slot="none_of_this_name"), metadata=game.auth))
    await failure(game.dialogue.Say(pb.SayRequest(session_id="nobody"), metadata=game.auth))
    found = [(it["reason"], it["log_level"]) for it in logs.entries if it["event"] == "call refused"]
    assert found == [("SAVE_NOT_FOUND", "debug"), ("NO_SESSION", "info")]


WRONG = {
    "none": None,
    "empty": (("authorization", ""),),
    "another": (("authorization", "Bearer wrong"),),
    "not bearer": (("authorization", "wrong"),),
}


@pytest.mark.parametrize("kind", ["unary", "server stream", "both streams", "health", "health watch", "reflection", "unknown call"])
@pytest.mark.parametrize("wrong", list(WRONG))
async def test_call_without_the_right_token_is_refused(game: Game, kind: str, wrong: str) -> None:
    error = await failure(calls(game, WRONG[wrong])[kind]())
    while "execute_batch" in str(error.debug_error_string()):
        # The server refused the stream before grpc's client had sent its first message. The client then hides the server's status.
        error = await failure(calls(game, WRONG[wrong])[kind]())
    assert error.code() is grpc.StatusCode.UNAUTHENTICATED
    assert info_of(error).reason == "BAD_TOKEN"
    assert game.server.token not in str(error)
    assert not game.host.asked


async def test_two_tokens_in_one_call_are_refused_even_if_one_is_right(game: Game) -> None:
    error = await failure(calls(game, (*game.auth, ("authorization", "Bearer wrong")))["unary"]())
    assert error.code() is grpc.StatusCode.UNAUTHENTICATED


async def test_right_token_opens_unary_stream_health_and_reflection(game: Game) -> None:
    with_token = calls(game, game.auth)
    assert (await with_token["unary"]()).saves[0].slot == "slot"
    play = with_token["both streams"]()
    assert [response.events[0].WhichOneof("event") async for response in play] == ["welcome"]
    assert (await with_token["health"]()).status == health_pb2.HealthCheckResponse.SERVING
    watch = with_token["health watch"]()
    assert (await watch.read()).status == health_pb2.HealthCheckResponse.SERVING
    watch.cancel()
    names = [service.name async for answer in with_token["reflection"]() for service in answer.list_services_response.service]
    assert {"npc_server.v1.WorldService", "grpc.health.v1.Health"} <= set(names)


async def test_unknown_call_with_the_token_is_unimplemented(game: Game) -> None:
    error = await failure(calls(game, game.auth)["unknown call"]())
    assert error.code() is grpc.StatusCode.UNIMPLEMENTED


def documented_codes() -> dict[str, str]:
    """The table in the docstring of `errors`; a class without a code there has none of its own."""
    assert errors.__doc__ is not None
    rows = re.findall(r"─ (\w+) .*?  ([A-Z_]{6,})$", errors.__doc__, re.M)
    return dict(rows)


def made(kind: type[NpcServerError]) -> NpcServerError:
    if issubclass(kind, FileProblem):
        return kind((Problem("a.yaml", 3, "It is wrong.", "Mend it."),))
    return kind("It failed.", "Do this.", value=7)


def test_every_error_class_has_the_code_its_table_says() -> None:
    table = documented_codes()
    assert len(table) >= 19
    kinds = {kind.__name__: kind for kind in every_error() if kind.__module__ == "npc_server.errors"}
    assert set(table) <= set(kinds)
    without = set(kinds) - set(table)
    assert without == {"NpcServerError", "SaveError", "EngineError"}  # bases
    for name, code in table.items():
        assert status.to_grpc(made(kinds[name])).code is grpc.StatusCode[code], name


def test_every_reason_is_its_own() -> None:
    reasons = [kind.reason for kind in every_error() if kind.__module__ == "npc_server.errors"]
    assert len(set(reasons)) == len(reasons)


@pytest.mark.parametrize("kind", [kind for kind in every_error() if kind.__module__ == "npc_server.errors"], ids=lambda kind: kind.__name__)
async def test_error_reaches_the_game_with_code_reason_sentence_and_values(game: Game, kind: type[NpcServerError]) -> None:
    game.host.fails = made(kind)

    async def one_play() -> Any:
        yield pb.PlayRequest(session_id="s1")

    for call in (game.saves.ListSaves(pb.ListSavesRequest(), metadata=game.auth), game.world.Play(one_play(), metadata=game.auth)):
        error = await failure(call)
        assert error.code() is status.to_grpc(made(kind)).code
        assert error.details() == str(made(kind))
        info = info_of(error)
        assert (info.reason, info.domain) == (kind.reason, "npc-server")
        assert dict(info.metadata) == made(kind).values


async def test_unforeseen_error_is_internal_without_a_word_of_the_inside(game: Game, capsys: pytest.CaptureFixture[str]) -> None:
    game.host.fails = ZeroDivisionError("secret of the inside")
    error = await failure(game.saves.ListSaves(pb.ListSavesRequest(), metadata=game.auth))
    assert error.code() is grpc.StatusCode.INTERNAL
    assert "secret" not in str(error.details()) + str(error.trailing_metadata())
    out = capsys.readouterr()
    assert "ZeroDivisionError" in out.out + out.err
    assert "Traceback" in out.out + out.err
    game.host.fails = None
    await game.saves.ListSaves(pb.ListSavesRequest(), metadata=game.auth)


@pytest.mark.parametrize("letter", ["x", "é", "雪", "\n"])
async def test_long_error_fits_the_trailers_and_keeps_its_advice(game: Game, letter: str) -> None:
    game.host.fails = BadInput(letter * 50_000, "Do this.", **{f"value{i}": letter * 5_000 for i in range(40)})
    error = await failure(game.saves.ListSaves(pb.ListSavesRequest(), metadata=game.auth))
    assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert str(error.details()).endswith("… Do this.")
    assert info_of(error).reason == "BAD_INPUT"


async def test_bytes_that_are_no_message_are_refused_on_unary_and_stream(game: Game) -> None:
    channel: Any = game.channel
    unary = channel.unary_unary("/npc_server.v1.SaveService/OpenSave")
    error = await failure(unary(b"\xff\xff\xff", metadata=game.auth))
    assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
    stream = channel.stream_stream("/npc_server.v1.WorldService/Play")

    async def rubbish() -> Any:
        yield pb.PlayRequest(session_id="s1").SerializeToString()
        yield b"\xff\xff\xff"

    error = await failure(stream(rubbish(), metadata=game.auth))
    assert error.code() is grpc.StatusCode.INVALID_ARGUMENT


async def test_a_stream_with_a_wrong_token_is_unauthenticated_however_much_the_game_writes(game: Game) -> None:
    """A caller whose write meets a stream that has just ended sees INTERNAL instead."""

    async def code(first: int) -> grpc.StatusCode:
        call = game.world.Play(metadata=(("authorization", "Bearer wrong"),))

        async def write() -> None:
            for _ in range(first):
                await call.write(pb.PlayRequest(session_id="s" * 1000))
            async for _ in call:
                pass

        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await asyncio.wait_for(write(), LIMIT_S)
        return caught.value.code()

    codes = await asyncio.gather(*(code(number % 3 * 15) for number in range(60)))
    assert set(codes) == {grpc.StatusCode.UNAUTHENTICATED}
