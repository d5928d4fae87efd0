"""One connection of the game over gRPC: its channel, and calls on it. The commands are those of npc_server/wire/calls.py."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from functools import partial
from typing import Protocol

import grpc
import grpc.aio
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from npc_server.wire.call_error import CallError, from_status
from npc_server.wire.calls import Calls, Emit, Give, path_of, text

CONNECT_TIMEOUT_S = 10.0
OPTIONS = (
    ("grpc.enable_http_proxy", 0),  # a proxy of the player's desktop must not come between the game and its own machine
    ("grpc.max_receive_message_length", 64 << 20),
    ("grpc.initial_reconnect_backoff_ms", 100),
)


class _Answers(Protocol):
    """The answers of a stream, of either kind."""

    def __aiter__(self) -> AsyncIterator[Message]: ...
    def cancel(self) -> bool: ...


class Channel:
    """Carries calls over a gRPC channel, once there is one."""

    def __init__(self) -> None:
        self._channel: grpc.aio.Channel | None = None
        self._metadata: tuple[tuple[str, str], ...] = ()

    def open(self, target: str, token: str, root_certificate: str) -> grpc.aio.Channel:
        """Makes the channel. Raises CallError for a token that no header can carry."""
        if not token.isascii() or not token.isprintable():
            raise CallError(
                "The token has characters that a header cannot carry. Take it from the server's ready file.", reason="BAD_TOKEN"
            )
        if root_certificate:
            self._channel = grpc.aio.secure_channel(target, grpc.ssl_channel_credentials(root_certificate.encode()), OPTIONS)
        else:
            self._channel = grpc.aio.insecure_channel(target, OPTIONS)
        self._metadata = (("authorization", f"Bearer {token}"),) if token else ()
        return self._channel

    def take(self) -> grpc.aio.Channel | None:
        """Gives the channel away, to be closed."""
        channel, self._channel = self._channel, None
        return channel

    def _need(self) -> grpc.aio.Channel:
        if self._channel is None:
            raise CallError("The bridge is not connected. Call connect_to first.", code="UNAVAILABLE", reason="BRIDGE_CLOSED")
        return self._channel

    async def unary(self, method: MethodDescriptor, request: Message, timeout_s: float) -> Message:
        start = self._need().unary_unary(path_of(method), _serialize, GetMessageClass(method.output_type).FromString)
        try:
            answer: Message = await start(request, timeout=timeout_s, metadata=self._metadata)
        except grpc.aio.AioRpcError as error:
            raise _told(error) from error
        return answer

    async def stream(self, method: MethodDescriptor, requests: AsyncIterator[Message], give: Give) -> None:
        channel, deserialize = self._need(), GetMessageClass(method.output_type).FromString
        if method.client_streaming:
            answers: _Answers = channel.stream_stream(path_of(method), _serialize, deserialize)(requests, metadata=self._metadata)
        else:
            first = await anext(requests, GetMessageClass(method.input_type)())
            answers = channel.unary_stream(path_of(method), _serialize, deserialize)(first, metadata=self._metadata)
        try:
            async for answer in answers:
                await give(answer)
        except grpc.aio.AioRpcError as error:
            raise _told(error) from error
        finally:
            answers.cancel()


class Connection(Calls):
    """The calls of one bridge object of the game, and two commands more: `connect` and `disconnect`."""

    def __init__(self, emit: Emit) -> None:
        self._channel = Channel()
        self._closing: set[asyncio.Task[None]] = set()
        super().__init__(emit, self._channel)

    def obey(self, name: object, call: int, rest: Sequence[object]) -> None:
        if name == "connect":
            self._connect(call, *rest)
        elif name == "disconnect":
            self.disconnect()
        else:
            super().obey(name, call, rest)

    def disconnect(self) -> None:
        """Cancels everything and closes the channel."""
        self.cancel_all()
        channel = self._channel.take()
        if channel is not None:
            task = asyncio.ensure_future(_close(channel))
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)

    async def closed(self) -> None:
        self.disconnect()
        await super().closed()
        await asyncio.gather(*self._closing, return_exceptions=True)

    def _connect(self, call: int, address: object, token: object, root_certificate: object = "") -> None:
        target, secret, pem = text(address, "address"), text(token, "token"), text(root_certificate, "root_certificate")
        self.disconnect()
        self.run(call, partial(self._connected, call, self._channel.open(target, secret, pem), target))

    async def _connected(self, call: int, channel: grpc.aio.Channel, target: str) -> None:
        try:
            await asyncio.wait_for(_ready(channel, target), CONNECT_TIMEOUT_S)
        except asyncio.TimeoutError:
            raise CallError(
                f"No answer from {target} in {CONNECT_TIMEOUT_S:.0f} s. Start npc-server there, or correct the address.",
                code="UNAVAILABLE", reason="NO_SERVER", address=target,
            ) from None  # fmt: skip
        self._emit({"id": call, "event": "connected"})


def _told(error: grpc.aio.AioRpcError) -> CallError:
    return from_status(error.code(), error.details() or "", error.trailing_metadata() or ())


async def _ready(channel: grpc.aio.Channel, target: str) -> None:
    state = channel.get_state(try_to_connect=True)
    while state is not grpc.ChannelConnectivity.READY:
        if state is grpc.ChannelConnectivity.TRANSIENT_FAILURE:
            raise CallError(
                f"Nothing answers at {target}. Start npc-server there, or correct the address.",
                code="UNAVAILABLE", reason="NO_SERVER", address=target,
            )  # fmt: skip
        await channel.wait_for_state_change(state)
        state = channel.get_state(try_to_connect=True)


async def _close(channel: grpc.aio.Channel) -> None:
    await channel.close(grace=0)


def _serialize(message: Message) -> bytes:
    return message.SerializeToString()
