"""One connection of the game: its channel, its unary calls and its streams, as tasks on one event loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

import grpc
import grpc.aio
from google.protobuf import descriptor_pool
from google.protobuf.descriptor import Descriptor, MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from npc_bridge.errors import BridgeError, from_status
from npc_bridge.messages import from_message, to_message

PACKAGE = "npc_server.v1"
CONNECT_TIMEOUT_S = 10.0
UNARY_TIMEOUT_S = 30.0
WAITING_LIMIT = 8 << 20
"""While more bytes than this wait in the game, no stream is read. gRPC's flow control then slows the server down."""
OPTIONS = (
    ("grpc.enable_http_proxy", 0),  # a proxy of the player's desktop must not come between the game and its own machine
    ("grpc.max_receive_message_length", 64 << 20),
    ("grpc.initial_reconnect_backoff_ms", 100),
)
Emit = Callable[[Mapping[str, object]], int]
"""Gives an event to the game. Returns the bytes that wait there, or -1 if nobody listens any more."""


@dataclass
class _Stream:
    method: MethodDescriptor
    requests: asyncio.Queue[Message | None] = field(default_factory=asyncio.Queue)


class _Answers(Protocol):
    """The answers of a stream, of either kind."""

    def __aiter__(self) -> AsyncIterator[Message]: ...
    def cancel(self) -> bool: ...


def find_method(name: str) -> MethodDescriptor:
    """`WorldService/Play`, or with the package before it. Raises BridgeError."""
    service_name, _, method_name = name.partition("/")
    full = service_name if "." in service_name else f"{PACKAGE}.{service_name}"
    try:
        service = descriptor_pool.Default().FindServiceByName(full)
        return service.methods_by_name[method_name]
    except KeyError:
        raise BridgeError(f"There is no method {name!r}. Write it as Service/Method, as in npc.proto.", reason="BRIDGE_METHOD") from None


def find_message(name: str) -> Descriptor:
    """`Perception`, or with the package before it. Raises BridgeError."""
    try:
        return descriptor_pool.Default().FindMessageTypeByName(name if "." in name else f"{PACKAGE}.{name}")
    except KeyError:
        raise BridgeError(f"There is no message {name!r}. Use a name of npc.proto.", reason="BRIDGE_METHOD") from None


def _text(value: object, name: str) -> str:
    if isinstance(value, str):
        return value
    raise BridgeError(f"{name} is {value!r}. Give a String.")


class Connection:
    """The calls and streams of one bridge object of the game. Each command returns at once, and its results are emitted later."""

    def __init__(self, emit: Emit) -> None:
        self._emit = emit
        self._channel: grpc.aio.Channel | None = None
        self._metadata: tuple[tuple[str, str], ...] = ()
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._streams: dict[int, _Stream] = {}
        self._closing: set[asyncio.Task[None]] = set()

    def command(self, parts: object) -> None:
        """Runs one command, `[name, id, …]`. Never raises: an error is emitted as `failed`."""
        call = parts[1] if isinstance(parts, list) and len(parts) > 1 and isinstance(parts[1], int) else 0
        try:
            if not isinstance(parts, list) or not parts:
                raise BridgeError(f"A command is {parts!r}. Use the methods of NpcBridge.")
            name, rest = parts[0], parts[2:]
            if name == "connect":
                self._connect(call, *rest)
            elif name == "unary":
                self._unary(call, *rest)
            elif name == "open":
                self._open(call, *rest)
            elif name == "send":
                stream = self._stream(call)
                stream.requests.put_nowait(to_message(stream.method.input_type, *rest))
            elif name == "finish":
                self._stream(call).requests.put_nowait(None)
            elif name == "cancel":
                self._cancel(call)
            elif name == "check":
                self._check(call, *rest)
            elif name == "disconnect":
                self.disconnect()
            else:
                raise BridgeError(f"There is no command {name!r}. Use the methods of NpcBridge.")
        except BridgeError as error:
            self._emit({"id": call, **error.event()})
        except (TypeError, ValueError, OverflowError) as error:  # a wrong number or kind of arguments, or a value protobuf refuses
            self._emit({"id": call, **BridgeError(f"The command {parts!r:.200} is wrong: {error}").event()})

    def disconnect(self) -> None:
        """Cancels everything and closes the channel."""
        for call in list(self._tasks):
            self._cancel(call)
        if self._channel is not None:
            task = asyncio.ensure_future(_close(self._channel))
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)
            self._channel = None

    async def closed(self) -> None:
        """Disconnects, and waits until every task has ended."""
        tasks = list(self._tasks.values())
        self.disconnect()
        await asyncio.gather(*tasks, *self._closing, return_exceptions=True)

    def _stream(self, call: int) -> _Stream:
        if call in self._streams:
            return self._streams[call]
        raise BridgeError(f"Stream {call} is not open. Open it again.", code="FAILED_PRECONDITION", reason="BRIDGE_CLOSED")

    def _cancel(self, call: int) -> None:
        task = self._tasks.pop(call, None)
        self._streams.pop(call, None)
        if task is not None:
            task.cancel()
            self._closing.add(task)  # so that the end waits for it
            task.add_done_callback(self._closing.discard)

    def _run(self, call: int, work: Callable[[], Coroutine[object, object, None]]) -> None:
        async def guarded() -> None:
            try:
                await work()  # made here: a call that is cancelled at once leaves none behind that nobody awaits
            except BridgeError as error:
                self._forget(call, task)
                self._emit({"id": call, **error.event()})
            except grpc.aio.AioRpcError as error:
                self._forget(call, task)
                wrong = from_status(error.code(), error.details() or "", error.trailing_metadata() or ())
                self._emit({"id": call, **wrong.event()})
            except Exception as error:  # noqa: BLE001  a fault of the bridge's own must reach the game, and end nothing else
                self._forget(call, task)
                self._emit({"id": call, **BridgeError(f"The bridge failed: {error!r}.", code="INTERNAL", reason="BRIDGE_FAULT").event()})
            else:
                self._forget(call, task)

        task = asyncio.ensure_future(guarded())
        self._tasks[call] = task

    def _forget(self, call: int, task: asyncio.Task[None]) -> None:
        if self._tasks.get(call) is task:
            del self._tasks[call]
            self._streams.pop(call, None)

    def _need_channel(self) -> grpc.aio.Channel:
        if self._channel is None:
            raise BridgeError("The bridge is not connected. Call connect_to first.", code="UNAVAILABLE", reason="BRIDGE_CLOSED")
        return self._channel

    # ---- commands

    def _check(self, call: int, name: object, values: object) -> None:
        kind = find_message(_text(name, "message_type"))
        arrived = GetMessageClass(kind).FromString(to_message(kind, values).SerializeToString())
        self._emit({"id": call, "event": "response", "message": from_message(arrived)})

    def _connect(self, call: int, address: object, token: object, root_certificate: object = "") -> None:
        target, secret, pem = _text(address, "address"), _text(token, "token"), _text(root_certificate, "root_certificate")
        if not secret.isascii() or not secret.isprintable():
            raise BridgeError(
                "The token has characters that a header cannot carry. Take it from the server's ready file.", reason="BAD_TOKEN"
            )
        self.disconnect()
        if pem:
            self._channel = grpc.aio.secure_channel(target, grpc.ssl_channel_credentials(pem.encode()), OPTIONS)
        else:
            self._channel = grpc.aio.insecure_channel(target, OPTIONS)
        self._metadata = (("authorization", f"Bearer {secret}"),) if secret else ()
        self._run(call, partial(self._connected, call, self._channel, target))

    async def _connected(self, call: int, channel: grpc.aio.Channel, target: str) -> None:
        try:
            await asyncio.wait_for(_ready(channel, target), CONNECT_TIMEOUT_S)
        except asyncio.TimeoutError:
            raise BridgeError(
                f"No answer from {target} in {CONNECT_TIMEOUT_S:.0f} s. Start npc-server there, or correct the address.",
                code="UNAVAILABLE", reason="NO_SERVER", address=target,
            ) from None  # fmt: skip
        self._emit({"id": call, "event": "connected"})

    def _unary(self, call: int, name: object, request: object, timeout_s: object = UNARY_TIMEOUT_S, defaults: object = None) -> None:
        method = find_method(_text(name, "method"))
        if isinstance(timeout_s, bool) or not isinstance(timeout_s, (int, float)) or not timeout_s > 0:
            raise BridgeError(f"timeout_s is {timeout_s!r}. Give seconds above 0.")
        if method.client_streaming or method.server_streaming:
            raise BridgeError(f"{name!r} is a stream. Use open_stream.", reason="BRIDGE_METHOD")
        if isinstance(defaults, Mapping) and isinstance(request, Mapping):
            request = {**{name: value for name, value in defaults.items() if name in method.input_type.fields_by_name}, **request}
        message = to_message(method.input_type, request)
        self._run(call, partial(self._answered, call, method, message, float(timeout_s)))

    async def _answered(self, call: int, method: MethodDescriptor, message: Message, timeout_s: float) -> None:
        start = self._need_channel().unary_unary(_path(method), _serialize, GetMessageClass(method.output_type).FromString)
        answer = await start(message, timeout=timeout_s, metadata=self._metadata)
        await self._give(call, "response", answer)

    def _open(self, call: int, name: object, request: object = None) -> None:
        method = find_method(_text(name, "method"))
        if not method.server_streaming:
            raise BridgeError(f"{name!r} is not a stream. Use call_unary.", reason="BRIDGE_METHOD")
        stream = _Stream(method)
        if request is not None or not method.client_streaming:
            stream.requests.put_nowait(to_message(method.input_type, request if request is not None else {}))
        self._streams[call] = stream
        self._run(call, partial(self._streamed, call, stream))

    async def _streamed(self, call: int, stream: _Stream) -> None:
        channel, method = self._need_channel(), stream.method
        deserialize = GetMessageClass(method.output_type).FromString
        if method.client_streaming:
            start = channel.stream_stream(_path(method), _serialize, deserialize)
            answers: _Answers = start(_requests(stream.requests), metadata=self._metadata)
        else:
            first = await stream.requests.get() or GetMessageClass(method.input_type)()
            answers = channel.unary_stream(_path(method), _serialize, deserialize)(first, metadata=self._metadata)
        try:
            async for answer in answers:
                await self._give(call, "message", answer)
        finally:
            answers.cancel()
            stream.requests.put_nowait(None)  # gRPC reads them in a task of its own, which ends with them
        self._emit({"id": call, "event": "finished"})

    async def _give(self, call: int, event: str, message: Message) -> None:
        waiting = self._emit({"id": call, "event": event, "message": from_message(message)})
        while waiting > WAITING_LIMIT:
            await asyncio.sleep(0.02)
            waiting = self._emit({})


async def _requests(queue: asyncio.Queue[Message | None]) -> AsyncIterator[Message]:
    while (message := await queue.get()) is not None:
        yield message


async def _ready(channel: grpc.aio.Channel, target: str) -> None:
    state = channel.get_state(try_to_connect=True)
    while state is not grpc.ChannelConnectivity.READY:
        if state is grpc.ChannelConnectivity.TRANSIENT_FAILURE:
            raise BridgeError(
                f"Nothing answers at {target}. Start npc-server there, or correct the address.",
                code="UNAVAILABLE", reason="NO_SERVER", address=target,
            )  # fmt: skip
        await channel.wait_for_state_change(state)
        state = channel.get_state(try_to_connect=True)


async def _close(channel: grpc.aio.Channel) -> None:
    await channel.close(grace=0)


def _path(method: MethodDescriptor) -> str:
    return f"/{method.containing_service.full_name}/{method.name}"


def _serialize(message: Message) -> bytes:
    return message.SerializeToString()


def commands(parts: object) -> Sequence[object]:
    """The game sends one command, or in a busy frame an Array of them under the name `batch`."""
    if isinstance(parts, list) and len(parts) == 2 and parts[0] == "batch" and isinstance(parts[1], list):
        return parts[1]
    return [parts]
