"""A server that stores events in a list and breaks when told to; enough of the contract to try the client on."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import grpc
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_status import rpc_status

from npc_server.v1 import npc_pb2 as pb
from npc_server.v1 import npc_pb2_grpc

Context = grpc.aio.ServicerContext[Any, Any]


async def refuse(context: Context, code: int, reason: str, message: str) -> None:
    info = error_details_pb2.ErrorInfo(reason=reason, domain="npc-server", metadata={"slot": "fake"})
    status = status_pb2.Status(code=code, message=message)
    status.details.add().Pack(info)
    await context.abort_with_status(rpc_status.to_status(status))


class FakeServer(npc_pb2_grpc.WorldServiceServicer, npc_pb2_grpc.SaveServiceServicer):
    """`stored` is what a save would hold."""

    def __init__(self) -> None:
        self.stored: list[pb.GameEvent] = []
        self.session_id = "s1"
        self.epoch = 1
        self.opened = 0
        self.streams = 0
        self.resent: list[list[int]] = []
        """Numbers of the events of each stream, in the order they came."""
        self.break_after: list[int] = []
        """How many events each stream takes before it breaks; none when empty."""
        self.breaks_with = grpc.StatusCode.UNAVAILABLE
        self.ack = True
        self.refusal: tuple[int, str, str] | None = None
        self.settle = True
        """Whether a lockstep clock is answered."""
        self.before_settled: list[pb.MindEvent] = []
        self.tokens: list[str] = []

    def numbers(self) -> list[int]:
        return [event.seq for event in self.stored]

    async def OpenSave(self, request: pb.OpenSaveRequest, context: Context) -> pb.OpenSaveResponse:
        self.opened += 1
        return pb.OpenSaveResponse(session_id=self.session_id, epoch=self.epoch, last_stored_seq=self._last(), npc_ids=["ann"])

    async def CreateSave(self, request: pb.CreateSaveRequest, context: Context) -> pb.CreateSaveResponse:
        await refuse(context, code_pb2.ALREADY_EXISTS, "SAVE_EXISTS", f"There is a save {request.slot!r} already.")
        raise AssertionError

    async def RegisterWorld(self, request: pb.RegisterWorldRequest, context: Context) -> pb.RegisterWorldResponse:
        raise NotImplementedError

    async def ListAddresses(self, request: pb.ListAddressesRequest, context: Context) -> pb.ListAddressesResponse:
        raise NotImplementedError

    async def ListSaves(self, request: pb.ListSavesRequest, context: Context) -> pb.ListSavesResponse:
        raise NotImplementedError

    async def SaveGame(self, request: pb.SaveGameRequest, context: Context) -> pb.SaveGameResponse:
        raise NotImplementedError

    async def LoadGame(self, request: pb.LoadGameRequest, context: Context) -> pb.LoadGameResponse:
        raise NotImplementedError

    async def ApplyFiles(self, request: pb.ApplyFilesRequest, context: Context) -> pb.ApplyFilesResponse:
        raise NotImplementedError

    async def CloseSave(self, request: pb.CloseSaveRequest, context: Context) -> pb.CloseSaveResponse:
        raise NotImplementedError

    async def DeleteSave(self, request: pb.DeleteSaveRequest, context: Context) -> pb.DeleteSaveResponse:
        raise NotImplementedError

    async def Play(self, request_iterator: AsyncIterator[pb.PlayRequest], context: Context) -> AsyncIterator[pb.PlayResponse]:
        self.tokens += [str(value) for key, value in context.invocation_metadata() or () if key == "authorization"]
        self.streams += 1
        came: list[int] = []
        self.resent.append(came)
        limit = self.break_after.pop(0) if self.break_after else None
        async for request in request_iterator:
            if self.refusal is not None:
                await refuse(context, *self.refusal)
            if request.session_id != self.session_id:
                await refuse(context, code_pb2.FAILED_PRECONDITION, "NO_SESSION", f"No session {request.session_id!r} is open.")
            if not request.events:
                welcome = pb.Welcome(epoch=self.epoch, last_stored_seq=self._last())
                yield pb.PlayResponse(epoch=self.epoch, events=[pb.MindEvent(welcome=welcome)])
            for event in request.events:
                came.append(event.seq)
                if event.seq > self._last():
                    self.stored.append(event)
                if limit is not None and len(came) >= limit:
                    await context.abort(self.breaks_with, "broken on purpose")
                for answer in self._answers(event):
                    yield pb.PlayResponse(epoch=self.epoch, events=[answer])

    def _answers(self, event: pb.GameEvent) -> list[pb.MindEvent]:
        answers = [pb.MindEvent(ack=pb.Ack(seq=event.seq))] if self.ack else []
        if self.settle and event.clock.lockstep:
            answers += [*self.before_settled, pb.MindEvent(settled=pb.Settled(seq=event.seq, next_wake_s=event.clock.now_s + 600))]
            self.before_settled = []
        return answers

    def _last(self) -> int:
        return self.stored[-1].seq if self.stored else 0


async def serve(fake: FakeServer) -> tuple[grpc.aio.Server, str]:
    """The fake, listening on a free port; its address."""
    server = grpc.aio.server()
    npc_pb2_grpc.add_WorldServiceServicer_to_server(fake, server)
    npc_pb2_grpc.add_SaveServiceServicer_to_server(fake, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    return server, f"127.0.0.1:{port}"
