"""WorldService: a game registers its places and objects, and opens the `Play` stream."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing

from npc_server.errors import BadInput, NpcServerError
from npc_server.records import Notice
from npc_server.rpc.contract import HostView
from npc_server.rpc.play import PlayStream
from npc_server.rpc.types import Context
from npc_server.v1 import npc_pb2 as pb
from npc_server.v1 import npc_pb2_grpc
from npc_server.wire import convert

FIRST_MESSAGE_S = 30.0
"""Seconds that a new stream has to name its session before it is ended."""


class WorldServicer(npc_pb2_grpc.WorldServiceServicer):
    """Implements the calls of WorldService in npc.proto."""

    def __init__(self, host: HostView) -> None:
        self._host = host
        self._streams: set[PlayStream] = set()
        self._ending: NpcServerError | None = None
        self._reader = "", convert.NodeReader()
        """The id of the session that registered last, and its reader."""

    async def RegisterWorld(self, request: pb.RegisterWorldRequest, context: Context) -> pb.RegisterWorldResponse:
        session = self._host.session(request.session_id)
        if self._reader[0] != session.id:
            self._reader = session.id, convert.NodeReader()
        nodes, warnings = await session.register_world(await asyncio.to_thread(self._reader[1].read, request.nodes))
        return pb.RegisterWorldResponse(nodes=nodes, warnings=warnings)

    async def ListAddresses(self, request: pb.ListAddressesRequest, context: Context) -> pb.ListAddressesResponse:
        session = self._host.session(request.session_id)
        return pb.ListAddressesResponse(addresses=session.addresses())

    def Play(self, request_iterator: AsyncIterator[pb.PlayRequest], context: Context) -> AsyncIterator[pb.PlayResponse]:
        return self.play(request_iterator)

    async def play(self, requests: AsyncIterator[pb.PlayRequest]) -> AsyncGenerator[pb.PlayResponse, None]:
        """Serves one stream. Raises NpcServerError when it must end."""
        if self._ending is not None:
            raise self._ending
        first = await _first(requests)
        session = self._host.session(first.session_id)
        stream = PlayStream(session, self._streams.discard)
        self._streams.add(stream)
        try:
            async with aclosing(stream.responses(first, requests)) as responses:
                async for response in responses:
                    yield response
        finally:
            if not stream.busy:
                self._streams.discard(stream)

    def tell(self, notice: Notice) -> None:
        """Sends a notice to every game."""
        for stream in list(self._streams):
            stream.tell(notice)

    async def end_streams(self, error: NpcServerError) -> None:
        """Ends every stream with `error` once the events it sent are stored. New streams are refused with `error` too."""
        self._ending = error
        streams = list(self._streams)
        for stream in streams:
            stream.end(error)
        for stream in streams:
            await stream.settled()


async def _first(requests: AsyncIterator[pb.PlayRequest]) -> pb.PlayRequest:
    """Waits for the request that names the session. Raises BadInput when it does not come."""
    try:
        return await asyncio.wait_for(requests.__anext__(), FIRST_MESSAGE_S)
    except StopAsyncIteration:
        raise BadInput("The stream ended before it named a session.", "Send a PlayRequest with session_id and epoch first.") from None
    except asyncio.TimeoutError:
        raise BadInput(
            f"The stream named no session within {FIRST_MESSAGE_S:g} seconds.", "Send a PlayRequest with session_id and epoch first."
        ) from None
