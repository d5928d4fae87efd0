"""Calls straight into the servicers, for the socket. They go through the same guard as gRPC's: its limits, its errors, its log."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, NoReturn

import grpc
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message

from npc_server.rpc.interceptors import guarded
from npc_server.rpc.types import Method
from npc_server.wire.call_error import CallError, from_status
from npc_server.wire.calls import Give, path_of


class Handlers:
    """Takes the place of a gRPC server in `add_…Servicer_to_server`, and keeps what is registered. Carries calls to it."""

    def __init__(self, call_s: float) -> None:
        """`call_s` is how many wall seconds a unary call may take."""
        self._call_s = call_s
        self._methods: dict[str, Method] = {}

    def add_generic_rpc_handlers(self, generic_rpc_handlers: Sequence[object]) -> None:
        """The same methods as in `add_registered_method_handlers`, in an older form."""

    def add_registered_method_handlers(self, service_name: str, method_handlers: Mapping[str, Method]) -> None:
        for name, handler in method_handlers.items():
            path = f"/{service_name}/{name}"
            self._methods[path] = guarded(handler, path, self._call_s)

    def _find(self, method: MethodDescriptor) -> Method:
        handler = self._methods.get(path_of(method))
        if handler is None:
            raise CallError(f"This server has no {path_of(method)}.", code="UNIMPLEMENTED", reason="UNIMPLEMENTED")
        return handler

    async def unary(self, method: MethodDescriptor, request: Message, timeout_s: float) -> Message:
        context, start = _Context(), self._find(method).unary_unary
        try:
            answer: Message = await asyncio.wait_for(start(request, context), timeout_s)  # type: ignore[misc, arg-type]
        except asyncio.TimeoutError:
            raise CallError(f"No answer in {timeout_s:g} s.", code="DEADLINE_EXCEEDED", reason="DEADLINE_EXCEEDED") from None
        except grpc.aio.AbortError:
            raise context.failure from None
        return answer

    async def stream(self, method: MethodDescriptor, requests: AsyncIterator[Message], give: Give) -> None:
        handler, context = self._find(method), _Context(give)
        start: Any = handler.stream_stream or handler.unary_stream
        try:
            await start(requests if method.client_streaming else await anext(requests), context)
        except grpc.aio.AbortError:
            raise context.failure from None


class _Context:
    """What a guarded handler uses of a ServicerContext."""

    def __init__(self, give: Give | None = None) -> None:
        self._give = give
        self.failure = CallError("The call was aborted.", code="INTERNAL", reason="INTERNAL")

    async def write(self, message: Message) -> None:
        assert self._give is not None
        await self._give(message)

    async def abort(self, code: grpc.StatusCode, details: str = "", trailing_metadata: Any = ()) -> NoReturn:
        self.failure = from_status(code, details, trailing_metadata)
        raise grpc.aio.AbortError
