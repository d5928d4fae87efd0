"""Whatever comes in: an error that says so, never INTERNAL or UNKNOWN, and the server answers the next call."""

from __future__ import annotations

from typing import Any

import grpc
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from npc_server.v1 import npc_pb2 as pb
from tests.rpc.conftest import Game
from tests.waiting import LIMIT_S

METHODS = [method for service in pb.DESCRIPTOR.services_by_name.values() for method in service.methods]
NEVER = {grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.UNAVAILABLE}

bounded = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
words = st.one_of(st.sampled_from(["", "s1", "slot", "mara_voss", "w:s", "../x", "\0", "x" * 3_000]), text)
int64s = st.one_of(st.sampled_from([0, 1, -1, 253_370_764_800, 2**40, 2**63 - 1, -(2**63)]), st.integers(-(2**63), 2**63 - 1))
int32s = st.one_of(st.sampled_from([0, 1, -1, 2**31 - 1, -(2**31)]), st.integers(-(2**31), 2**31 - 1))


def value(field: Any, depth: int) -> st.SearchStrategy[Any]:
    if field.type == field.TYPE_MESSAGE:
        return message(field.message_type, depth - 1)
    if field.type == field.TYPE_STRING:
        return words
    if field.type == field.TYPE_BOOL:
        return st.booleans()
    if field.type == field.TYPE_FLOAT:
        return st.floats(width=32)
    if field.type == field.TYPE_ENUM:
        return st.one_of(st.integers(-2, 9), int32s)
    return int32s if field.type == field.TYPE_INT32 else int64s


@st.composite
def message(draw: st.DrawFn, kind: Any, depth: int = 4) -> Message:
    """A message with any of its fields set to anything."""
    made = GetMessageClass(kind)()
    for field in kind.fields:
        if (field.type == field.TYPE_MESSAGE and depth == 0) or not draw(st.booleans()):
            continue
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            for item in draw(st.lists(value(field, depth), max_size=3)):
                getattr(made, field.name)[item.key] = item.value
        elif field.is_repeated:
            for item in draw(st.lists(value(field, depth), max_size=3)):
                into = getattr(made, field.name)
                into.add().CopyFrom(item) if field.type == field.TYPE_MESSAGE else into.append(item)
        elif field.type == field.TYPE_MESSAGE:
            getattr(made, field.name).CopyFrom(draw(value(field, depth)))
        else:
            setattr(made, field.name, draw(value(field, depth)))
    return made


OUR_OWN = "Internal error from Core"
"""What grpcio's client says of a call that the server ended while a request was on its way; the server's answer is lost then."""


async def send(game: Game, method: Any, requests: list[bytes]) -> grpc.StatusCode:
    """The code of a call with those bytes, as the server gave it."""
    while True:
        call = await sent(game, method, requests)
        code: grpc.StatusCode = await call.code()
        if await call.details() != OUR_OWN:
            return code


async def sent(game: Game, method: Any, requests: list[bytes]) -> Any:
    """The call, once it is over."""
    path = f"/{method.containing_service.full_name}/{method.name}"
    channel: Any = game.channel
    if method.client_streaming:
        call = channel.stream_stream(path)(metadata=game.auth, timeout=LIMIT_S)
        try:
            for request in requests:
                await call.write(request)
            await call.done_writing()
            while await call.read() is not grpc.aio.EOF:
                pass
        except (grpc.aio.AioRpcError, grpc.aio.UsageError):
            pass
    elif method.server_streaming:
        call = channel.unary_stream(path)(requests[0], metadata=game.auth, timeout=LIMIT_S)
        try:
            while await call.read() is not grpc.aio.EOF:
                pass
        except grpc.aio.AioRpcError:
            pass
    else:
        call = channel.unary_unary(path)(requests[0], metadata=game.auth, timeout=LIMIT_S)
    return call


def renewed(game: Game) -> None:
    """Examples share the fixture's host; each starts with an open session."""
    session = game.host.session_
    session.closed, session.outbox, session.epoch, session.last_stored_seq = False, None, 3, 0


@bounded
@given(data=st.data())
async def test_random_bytes_to_any_call_are_answered_with_a_plain_error(game: Game, data: st.DataObject) -> None:
    renewed(game)
    method = data.draw(st.sampled_from(METHODS), label="method")
    requests = data.draw(st.lists(st.binary(max_size=60), min_size=1, max_size=3))
    assert await send(game, method, requests) not in NEVER
    await game.saves.ListSaves(pb.ListSavesRequest(), metadata=game.auth)


@bounded
@given(data=st.data())
async def test_random_fields_to_any_call_are_answered_without_a_breakdown(game: Game, data: st.DataObject) -> None:
    renewed(game)
    method = data.draw(st.sampled_from(METHODS), label="method")
    requests = data.draw(st.lists(message(method.input_type), min_size=1, max_size=3))
    assert await send(game, method, [request.SerializeToString() for request in requests]) not in NEVER
    await game.saves.ListSaves(pb.ListSavesRequest(), metadata=game.auth)


@bounded
@given(events=st.lists(message(pb.GameEvent.DESCRIPTOR), max_size=6))
async def test_random_events_do_not_end_the_stream_nor_hold_up_the_next(game: Game, events: list[pb.GameEvent]) -> None:
    renewed(game)
    session = game.host.session_
    for seq, event in enumerate(events, start=1):
        event.seq = seq
    call = game.world.Play(metadata=game.auth, timeout=LIMIT_S)
    good = pb.GameEvent(seq=len(events) + 1, clock=pb.Clock(now_s=5))
    await call.write(pb.PlayRequest(session_id="s1", epoch=3, events=[*events, good]))
    await call.done_writing()
    acks = [event.ack.seq async for response in call for event in response.events if event.HasField("ack")]
    assert acks[-1] == len(events) + 1 == session.last_stored_seq
