"""The calls and streams of one game, as tasks on one event loop. The game sends commands, and gets events.

A command is `[name, id, …]`, such as `["unary", 7, "SaveService/ListSaves", {}]`. An event is a dictionary with that `id`. Both transports
speak it: the socket of the server hands calls to its servicers, and the native bridge of the addon makes gRPC calls.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from google.protobuf import descriptor_pool
from google.protobuf.descriptor import Descriptor, MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from npc_server.v1 import npc_pb2
from npc_server.wire.call_error import CallError
from npc_server.wire.dictionaries import from_message, to_message

PACKAGE = "npc_server.v1"
UNARY_TIMEOUT_S = 30.0
"""Seconds of a unary call for which neither the game nor the contract names others."""
WAITING_LIMIT = 8 << 20
"""While more bytes than this wait for the game, no stream is read. The server then slows down."""
REQUESTS_AHEAD = 64
"""While more requests than this wait in a stream, `until_room` waits."""
MOST_CALLS = 256
"""Calls at once. Further ones are refused. A game needs a stream and a few calls."""
POLL_S = 0.02
Emit = Callable[[Mapping[str, object]], int]
"""Gives an event to the game. Returns the bytes that wait for it, or -1 if nobody listens any more. An empty event only asks."""
Give = Callable[[Message], Awaitable[None]]
"""Takes an answer of a stream, and returns when the next may come."""


class Caller(Protocol):
    """Carries calls to the server. Raises CallError."""

    async def unary(self, method: MethodDescriptor, request: Message, timeout_s: float) -> Message: ...
    async def stream(self, method: MethodDescriptor, requests: AsyncIterator[Message], give: Give) -> None: ...


@dataclass
class _Stream:
    method: MethodDescriptor
    requests: asyncio.Queue[Message | None] = field(default_factory=asyncio.Queue)


def find_method(name: str) -> MethodDescriptor:
    """`WorldService/Play`, or with the package before it. Raises CallError."""
    service_name, _, method_name = name.partition("/")
    full = service_name if "." in service_name else f"{PACKAGE}.{service_name}"
    try:
        service = descriptor_pool.Default().FindServiceByName(full)
        return service.methods_by_name[method_name]
    except KeyError:
        raise CallError(f"There is no method {name!r}. Write it as Service/Method, as in npc.proto.", reason="BRIDGE_METHOD") from None


def limit_s_of(method: MethodDescriptor, otherwise: float = UNARY_TIMEOUT_S) -> float:
    """Returns the wall seconds that the contract gives a unary call, or `otherwise`."""
    return float(method.containing_service.GetOptions().Extensions[npc_pb2.limit_s]) or otherwise


def path_of(method: MethodDescriptor) -> str:
    """The method as gRPC writes it."""
    return f"/{method.containing_service.full_name}/{method.name}"


def find_message(name: str) -> Descriptor:
    """`Perception`, or with the package before it. Raises CallError."""
    try:
        return descriptor_pool.Default().FindMessageTypeByName(name if "." in name else f"{PACKAGE}.{name}")
    except KeyError:
        raise CallError(f"There is no message {name!r}. Use a name of npc.proto.", reason="BRIDGE_METHOD") from None


def commands(parts: object) -> Sequence[object]:
    """The game sends one command, or in a busy frame an Array of them under the name `batch`."""
    if isinstance(parts, list) and len(parts) == 2 and parts[0] == "batch" and isinstance(parts[1], list):
        return parts[1]
    return [parts]


def text(value: object, name: str) -> str:
    """Returns an argument of a command that must be a String. Raises CallError."""
    if isinstance(value, str):
        return value
    raise CallError(f"{name} is {value!r}. Give a String.")


class Calls:
    """Obeys the commands of one game. Each returns at once, and its results are emitted later."""

    def __init__(self, emit: Emit, caller: Caller) -> None:
        self._emit = emit
        self._caller = caller
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._streams: dict[int, _Stream] = {}
        self._ending: set[asyncio.Task[None]] = set()

    @property
    def running(self) -> int:
        """How many calls run."""
        return len(self._tasks) + len(self._ending)

    def command(self, parts: object) -> None:
        """Runs one command, `[name, id, …]`. Never raises: an error is emitted as `failed`."""
        call = parts[1] if isinstance(parts, list) and len(parts) > 1 and isinstance(parts[1], int) else 0
        try:
            if not isinstance(parts, list) or not parts:
                raise CallError(f"A command is {parts!r:.200}. Use the methods of NpcBridge.")
            self.obey(parts[0], call, parts[2:])
        except CallError as error:
            self.fail(call, error)
        except (TypeError, ValueError, OverflowError) as error:  # a wrong number or kind of arguments, or a value protobuf refuses
            self.fail(call, CallError(f"The command {parts!r:.200} is wrong: {error}"))

    def obey(self, name: object, call: int, rest: Sequence[object]) -> None:
        """Runs a command by its name. Raises CallError, and what Python raises for wrong arguments."""
        if name == "unary":
            self._unary(call, *rest)
        elif name == "open":
            self._open(call, *rest)
        elif name == "send":
            stream = self._stream(call)
            stream.requests.put_nowait(to_message(stream.method.input_type, *rest))
        elif name == "finish":
            self._stream(call).requests.put_nowait(None)
        elif name == "cancel":
            self.cancel(call)
        elif name == "check":
            self._check(call, *rest)
        else:
            raise CallError(f"There is no command {name!r:.200}. Use the methods of NpcBridge.")

    def fail(self, call: int, error: CallError) -> None:
        """Ends a call with an error."""
        self._emit({"id": call, **error.event()})

    def cancel(self, call: int) -> None:
        """Ends a call. The game hears no more of it."""
        task = self._tasks.pop(call, None)
        self._streams.pop(call, None)
        if task is not None:
            task.cancel()
            self._ending.add(task)  # so that the end waits for it
            task.add_done_callback(self._ending.discard)

    def cancel_all(self) -> None:
        for call in list(self._tasks):
            self.cancel(call)

    async def closed(self) -> None:
        """Cancels everything, and waits until every task has ended."""
        tasks = list(self._tasks.values())
        self.cancel_all()
        await asyncio.gather(*tasks, *self._ending, return_exceptions=True)

    async def until_room(self) -> None:
        """Waits while a stream has more requests than it can work off."""
        while any(stream.requests.qsize() > REQUESTS_AHEAD for stream in self._streams.values()):  # noqa: ASYNC110
            await asyncio.sleep(POLL_S)

    def run(self, call: int, work: Callable[[], Coroutine[object, object, None]]) -> None:
        """Runs a call. Its errors are emitted. Raises CallError if too many run."""
        if len(self._tasks) >= MOST_CALLS:
            raise CallError(
                f"{MOST_CALLS} calls are open. Wait for their answers before you ask again.", code="RESOURCE_EXHAUSTED", reason="OVERLOADED"
            )

        async def guarded() -> None:
            try:
                await work()  # made here: a call that is cancelled at once leaves none behind that nobody awaits
            except CallError as error:
                self._forget(call, task)
                self.fail(call, error)
            except Exception as error:  # noqa: BLE001  a fault of our own must reach the game, and end nothing else
                self._forget(call, task)
                self.fail(call, CallError(f"The call failed: {error!r}.", code="INTERNAL", reason="BRIDGE_FAULT"))
            else:
                self._forget(call, task)

        task = asyncio.ensure_future(guarded())
        self._tasks[call] = task

    def _forget(self, call: int, task: asyncio.Task[None]) -> None:
        if self._tasks.get(call) is task:
            del self._tasks[call]
            self._streams.pop(call, None)

    def _stream(self, call: int) -> _Stream:
        if call in self._streams:
            return self._streams[call]
        raise CallError(f"Stream {call} is not open. Open it again.", code="FAILED_PRECONDITION", reason="BRIDGE_CLOSED")

    # ---- commands

    def _check(self, call: int, name: object, values: object) -> None:
        kind = find_message(text(name, "message_type"))
        arrived = GetMessageClass(kind).FromString(to_message(kind, values).SerializeToString())
        self._emit({"id": call, "event": "response", "message": from_message(arrived)})

    def _unary(self, call: int, name: object, request: object, timeout_s: object = None, defaults: object = None) -> None:
        method = find_method(text(name, "method"))
        timeout_s = limit_s_of(method) if timeout_s is None else timeout_s
        if isinstance(timeout_s, bool) or not isinstance(timeout_s, (int, float)) or not timeout_s > 0:
            raise CallError(f"timeout_s is {timeout_s!r}. Give seconds above 0.")
        if method.client_streaming or method.server_streaming:
            raise CallError(f"{name!r} is a stream. Use open_stream.", reason="BRIDGE_METHOD")
        if isinstance(defaults, Mapping) and isinstance(request, Mapping):
            request = {**{name: value for name, value in defaults.items() if name in method.input_type.fields_by_name}, **request}
        message = to_message(method.input_type, request)
        self.run(call, partial(self._answered, call, method, message, float(timeout_s)))

    async def _answered(self, call: int, method: MethodDescriptor, message: Message, timeout_s: float) -> None:
        await self._give(call, "response", await self._caller.unary(method, message, timeout_s))

    def _open(self, call: int, name: object, request: object = None) -> None:
        method = find_method(text(name, "method"))
        if not method.server_streaming:
            raise CallError(f"{name!r} is not a stream. Use call_unary.", reason="BRIDGE_METHOD")
        stream = _Stream(method)
        if request is not None or not method.client_streaming:
            stream.requests.put_nowait(to_message(method.input_type, request if request is not None else {}))
        self.run(call, partial(self._streamed, call, stream))
        self._streams[call] = stream

    async def _streamed(self, call: int, stream: _Stream) -> None:
        try:
            await self._caller.stream(stream.method, _requests(stream.requests), partial(self._give, call, "message"))
        finally:
            stream.requests.put_nowait(None)  # they are read in a task of its own, which ends with them
        self._emit({"id": call, "event": "finished"})

    async def _give(self, call: int, event: str, message: Message) -> None:
        waiting = self._emit({"id": call, "event": event, "message": from_message(message)})
        while waiting > WAITING_LIMIT:
            await asyncio.sleep(POLL_S)
            waiting = self._emit({})


async def _requests(queue: asyncio.Queue[Message | None]) -> AsyncIterator[Message]:
    while (message := await queue.get()) is not None:
        yield message
