"""How long a call may take stands in the contract, once for games and for the server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from npc_server.rpc.handlers import Handlers
from npc_server.v1 import npc_pb2 as pb
from npc_server.wire.call_error import CallError
from npc_server.wire.calls import UNARY_TIMEOUT_S, Calls, find_method


class Patient:
    """Takes the place of a server, and notes how long it was waited for."""

    def __init__(self) -> None:
        self.limits_s: list[float] = []

    async def unary(self, method: MethodDescriptor, request: Message, timeout_s: float) -> Message:
        self.limits_s.append(timeout_s)
        return GetMessageClass(method.output_type)()

    async def stream(self, method: MethodDescriptor, requests: AsyncIterator[Message], give: Any) -> None:
        raise AssertionError("no stream is opened here")


async def test_a_game_waits_as_long_as_the_contract_says_unless_it_names_seconds() -> None:
    patient = Patient()
    calls = Calls(lambda event: 0, patient)
    for number, (method, *timeout) in enumerate(
        [("SaveService/ListSaves",), ("SaveService/OpenSave", None), ("MindService/GetMind", None), ("SaveService/ListSaves", 7.5)], start=1
    ):
        calls.command(["unary", number, method, {}, *timeout])
    await asyncio.sleep(0)
    await calls.closed()
    saves_s = pb.DESCRIPTOR.services_by_name["SaveService"].GetOptions().Extensions[pb.limit_s]
    assert saves_s > UNARY_TIMEOUT_S
    assert patient.limits_s == [saves_s, saves_s, UNARY_TIMEOUT_S, 7.5]


@pytest.mark.parametrize(("method", "is_late"), [("SaveService/ListSaves", False), ("WorldService/ListAddresses", True)])
async def test_the_server_waits_for_saves_as_long_as_the_contract_says(method: str, is_late: bool) -> None:
    found = find_method(method)
    answer = GetMessageClass(found.output_type)

    async def slow(request: Message, context: Any) -> Message:
        await asyncio.sleep(0.2)
        return answer()

    reader: Callable[[bytes], Any] = GetMessageClass(found.input_type).FromString
    handlers = Handlers(call_s=0.01)
    made: Any = grpc.unary_unary_rpc_method_handler(slow, request_deserializer=reader)
    handlers.add_registered_method_handlers(found.containing_service.full_name, {found.name: made})
    if is_late:
        with pytest.raises(CallError, match=r"took longer than 0\.01 seconds"):
            await handlers.unary(found, GetMessageClass(found.input_type)(), 30.0)
    else:
        assert await handlers.unary(found, GetMessageClass(found.input_type)(), 30.0) == answer()
