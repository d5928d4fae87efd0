"""Interceptors of every call: one checks the token, the other turns errors into gRPC statuses with details.

Handlers are wrapped into plain coroutines that write with `context.write`. When a call is cancelled, gRPC drops a generator without
closing it, and one that swallows the cancellation leaks memory in grpcio (issue 43360).
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import inspect
import time
from collections.abc import AsyncIterable, AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

import grpc
import structlog
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_status import rpc_status

from npc_server.errors import BadInput, DeadlinePassed, NotAllowed, NpcServerError, SaveNotFound
from npc_server.rpc import status
from npc_server.rpc.types import Context, Continuation, Handler, Method
from npc_server.wire.calls import find_method, limit_s_of

UNARY_LIMIT_S = 120.0
"""Seconds that a unary call may take unless the server is told otherwise. Opening a save of 100,000 memories takes about one."""

QUIET_S, REFUSAL_S = 0.5, 5.0
"""Wall seconds without a message after which a caller without the token is refused, and the most seconds until then."""
MOST_WAITING = 64
"""Callers without the token that are waited for at once, so that they leave room for the game's calls."""

_log = structlog.get_logger("npc_server.rpc")


class TokenInterceptor(grpc.aio.ServerInterceptor):
    """Refuses every call without `authorization: Bearer <token>`, also those to health and reflection."""

    def __init__(self, token: str) -> None:
        self._expected = f"Bearer {token}".encode()
        self._waiting = 0
        """Refused calls whose callers still write."""

    async def intercept_service(self, continuation: Continuation, handler_call_details: grpc.HandlerCallDetails) -> Handler:
        sent = [value for key, value in handler_call_details.invocation_metadata or () if key == "authorization"]
        value = sent[0] if len(sent) == 1 else b""
        raw = value.encode("utf-8", "replace") if isinstance(value, str) else bytes(value)
        if hmac.compare_digest(raw, self._expected):
            return await continuation(handler_call_details)

        async def refuse(requests: AsyncIterable[object], context: Context) -> None:
            await self._until_written(requests)
            raise wrong_token() if sent else no_token()

        return grpc.stream_stream_rpc_method_handler(refuse)

    async def _until_written(self, requests: AsyncIterable[object]) -> None:
        """Reads and drops what the caller writes, until it stops.

        A caller of grpcio whose write meets a stream that has just ended is told INTERNAL and never sees the status.
        """
        if self._waiting >= MOST_WAITING:
            return
        read = [0]
        # It ends with the call. Cancelling it would leak memory in grpcio.
        reading = asyncio.get_running_loop().create_task(_read_to_the_end(requests, read))
        end = time.monotonic() + REFUSAL_S
        before = -1
        self._waiting += 1
        try:
            while not reading.done() and before != read[0] and time.monotonic() < end:
                before = read[0]
                await asyncio.wait({reading}, timeout=QUIET_S)
        finally:
            self._waiting -= 1


async def _read_to_the_end(requests: AsyncIterable[object], read: list[int]) -> None:
    with contextlib.suppress(Exception):  # The caller is gone.
        async for _ in requests:
            read[0] += 1


def no_token() -> NotAllowed:
    return NotAllowed(
        "The call carries no token.", "Send metadata 'authorization: Bearer <token>'; the ready file of `npc-server serve` holds the token."
    )


def wrong_token() -> NotAllowed:
    return NotAllowed(
        "The call's token is not this server's.",
        "Send 'authorization: Bearer <token>' with the token of the ready file; each start of the server makes a new one unless it is set.",
    )


class ErrorInterceptor(grpc.aio.ServerInterceptor):
    """Turns errors into statuses. An error that is no NpcServerError becomes INTERNAL: the log has its details, the caller does not."""

    def __init__(self, call_s: float) -> None:
        self._call_s = call_s

    async def intercept_service(self, continuation: Continuation, handler_call_details: grpc.HandlerCallDetails) -> Handler:
        handler = await continuation(handler_call_details)
        if handler is None:
            return handler
        return guarded(handler, handler_call_details.method, self._call_s)


@dataclass(frozen=True)
class _Unreadable:
    """Takes the place of a request whose bytes are no message, so that our own error refuses it."""

    why: str


def _reader(deserializer: Callable[[bytes], Any] | None) -> Callable[[bytes], Any] | None:
    if deserializer is None:
        return None

    def read(raw: bytes) -> Any:
        try:
            return deserializer(raw)
        except Exception as error:  # noqa: BLE001  each implementation of protobuf raises another class
            return _Unreadable(type(error).__name__)

    return read


def _checked(request: Any, method: str) -> Any:
    if isinstance(request, _Unreadable):
        raise BadInput(
            f"The request to {method} is not a message of that call's type.", "Build it from protos/npc_server/v1/npc.proto.", method=method
        )
    return request


async def _checked_all(requests: AsyncIterable[Any], method: str) -> AsyncIterator[Any]:
    async for request in requests:
        yield _checked(request, method)


def guarded(handler: Method, method: str, call_s: float) -> Method:
    """Returns a handler that turns errors into statuses, and ends a unary call after `call_s` seconds, or after those of the contract."""
    inner: Any = handler.unary_unary or handler.unary_stream or handler.stream_unary or handler.stream_stream

    async def incoming(request: Any) -> Any:
        return _checked_all(request, method) if handler.request_streaming else _checked(request, method)

    async def answer(request: Any, context: Context) -> Any:
        limit_s = max(call_s, limit_s_of(find_method(method.removeprefix("/")), 0.0))
        try:
            return await asyncio.wait_for(inner(await incoming(request), context), limit_s)
        except asyncio.TimeoutError:
            late = DeadlinePassed(f"{method} took longer than {limit_s:g} seconds.", "Try again; the server's log may say why.")
            await _abort(context, late, method)
        except Exception as error:  # noqa: BLE001  the last stop before the wire
            await _abort(context, error, method)

    async def stream(request: Any, context: Context) -> None:
        try:
            given = await incoming(request)
            if inspect.iscoroutinefunction(inner):
                await inner(given, context)  # writes by itself
            else:
                async with contextlib.aclosing(inner(given, context)) as responses:
                    async for response in responses:
                        await context.write(response)
        except Exception as error:  # noqa: BLE001  the last stop before the wire
            await _abort(context, error, method)

    wrap: Any = {
        (False, False): grpc.unary_unary_rpc_method_handler,
        (False, True): grpc.unary_stream_rpc_method_handler,
        (True, False): grpc.stream_unary_rpc_method_handler,
        (True, True): grpc.stream_stream_rpc_method_handler,
    }[(handler.request_streaming, handler.response_streaming)]
    made: Method = wrap(
        stream if handler.response_streaming else answer,
        request_deserializer=_reader(handler.request_deserializer),
        response_serializer=handler.response_serializer,
    )
    return made


async def _abort(context: Context, error: Exception, method: str) -> None:
    """Ends the call with the status of `error`. Always raises."""
    if isinstance(error, grpc.aio.BaseError):  # the call was aborted already, or the caller is gone
        raise error
    if isinstance(error, NpcServerError):
        # A game asks for its slot before it makes it. In the log of a first start that would look like a failure.
        write = _log.debug if isinstance(error, SaveNotFound) else _log.info
        write("call refused", method=method, reason=error.reason, error=str(error))
        answer = status.to_grpc(error)
    else:
        _log.error("call failed", method=method, exc_info=error)
        answer = _internal(method)
    await context.abort(answer.code, answer.details, answer.trailing_metadata)


def _internal(method: str) -> grpc.Status:
    message = f"{method} failed for a reason the server did not foresee. Its log has the details; please report them."
    info = error_details_pb2.ErrorInfo(reason="INTERNAL", domain=status.DOMAIN, metadata={"method": method})
    whole = status_pb2.Status(code=code_pb2.INTERNAL, message=message)
    whole.details.add().Pack(info)
    return rpc_status.to_status(whole)
