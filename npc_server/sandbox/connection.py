"""The calls a game makes besides `Play`: saves and looking into minds. What the server refuses comes back as our own errors."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import grpc
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from npc_server.errors import NpcServerError
from npc_server.records import Document, GameTime, NpcId
from npc_server.v1 import npc_pb2 as pb
from npc_server.v1 import npc_pb2_grpc

T = TypeVar("T")

CALL_S = 120.0
"""Wall seconds a single call may take, where nothing else is said."""


@dataclass(frozen=True)
class OpenedSave:
    """Which session plays which save, and how far it is."""

    session_id: str
    slot: str
    epoch: int
    last_stored_seq: int
    npc_ids: tuple[NpcId, ...]
    now: GameTime


class Connection:
    """A channel to a server, by TCP (`127.0.0.1:50551`) or Unix socket (`unix:/run/npc.sock`). Made inside an event loop."""

    def __init__(self, address: str, token: str, call_s: float = CALL_S) -> None:
        # Waits between attempts to reach a server that went down; gRPC's own default grows to two minutes.
        options = [("grpc.initial_reconnect_backoff_ms", 100), ("grpc.max_reconnect_backoff_ms", 1000)]
        self._channel = grpc.aio.insecure_channel(address, options=options)
        self._call_s = call_s
        self.metadata = (("authorization", f"Bearer {token}"),)
        self._saves: npc_pb2_grpc.SaveServiceAsyncStub = npc_pb2_grpc.SaveServiceStub(self._channel)
        self._minds: npc_pb2_grpc.MindServiceAsyncStub = npc_pb2_grpc.MindServiceStub(self._channel)
        self._talk: npc_pb2_grpc.DialogueServiceAsyncStub = npc_pb2_grpc.DialogueServiceStub(self._channel)
        self.world: npc_pb2_grpc.WorldServiceAsyncStub = npc_pb2_grpc.WorldServiceStub(self._channel)

    async def close(self) -> None:
        await self._channel.close()

    async def create_save(
        self,
        slot: str,
        town: Document,
        personas: Sequence[Document],
        seed: int,
        start: GameTime,
        policies: Sequence[Document] = (),
        game: str = "",
    ) -> list[str]:
        """Makes a slot; returns warnings."""
        files = map(_document, personas)
        request = pb.CreateSaveRequest(
            slot=slot, town=_document(town), personas=files, seed=seed, start_s=start, policies=map(_document, policies), game=game
        )
        return list((await self._call(self._saves.CreateSave(request, metadata=self.metadata, timeout=self._call_s))).warnings)

    async def slots(self) -> list[str]:
        """Names of all saves."""
        found = await self._call(self._saves.ListSaves(pb.ListSavesRequest(), metadata=self.metadata, timeout=CALL_S))
        return [save.slot for save in found.saves]

    async def open_save(self, slot: str, resume_epoch: int = 0, game: str = "") -> OpenedSave:
        request = pb.OpenSaveRequest(slot=slot, resume_epoch=resume_epoch, game=game)
        it = await self._call(self._saves.OpenSave(request, metadata=self.metadata, timeout=self._call_s))
        return OpenedSave(it.session_id, slot, it.epoch, it.last_stored_seq, tuple(it.npc_ids), it.save.game_time_s)

    async def save_game(self, session_id: str) -> pb.SaveInfo:
        request = pb.SaveGameRequest(session_id=session_id)
        return (await self._call(self._saves.SaveGame(request, metadata=self.metadata, timeout=self._call_s))).save

    async def close_save(self, session_id: str, save: bool) -> None:
        request = pb.CloseSaveRequest(session_id=session_id, save=save)
        await self._call(self._saves.CloseSave(request, metadata=self.metadata, timeout=self._call_s))

    async def delete_save(self, slot: str) -> None:
        await self._call(self._saves.DeleteSave(pb.DeleteSaveRequest(slot=slot), metadata=self.metadata, timeout=self._call_s))

    async def minds(self, session_id: str, npcs: Iterable[NpcId]) -> list[pb.GetMindResponse]:
        """What each of these people is doing, with counts of memories."""
        return [
            await self._call(
                self._minds.GetMind(pb.GetMindRequest(session_id=session_id, npc_id=npc), metadata=self.metadata, timeout=self._call_s)
            )
            for npc in npcs
        ]

    async def whisper(self, session_id: str, npc: NpcId, text: str) -> None:
        """Speaks as somebody's inner voice."""
        request = pb.WhisperRequest(session_id=session_id, npc_id=npc, text=text)
        await self._call(self._talk.Whisper(request, metadata=self.metadata, timeout=self._call_s))

    async def say(self, session_id: str, npc: NpcId, speaker: str, text: str) -> AsyncIterator[pb.SayResponse]:
        """The answer to a line, piece by piece."""
        request = pb.SayRequest(session_id=session_id, npc_id=npc, speaker=speaker, text=text)
        try:
            async for piece in self._talk.Say(request, metadata=self.metadata, timeout=self._call_s):
                yield piece
        except grpc.aio.AioRpcError as error:
            raise said(error) from error

    async def undo(self, session_id: str, npc: NpcId, speaker: str) -> int:
        """Takes the last line of the speaker and its answer back; says how many memories went."""
        request = pb.UndoLastLineRequest(session_id=session_id, npc_id=npc, speaker=speaker)
        return int((await self._call(self._talk.UndoLastLine(request, metadata=self.metadata, timeout=self._call_s))).removed)

    async def interview(self, session_id: str, npc: NpcId, question: str) -> str:
        """The answer to a question that leaves no trace."""
        request = pb.InterviewRequest(session_id=session_id, npc_id=npc, question=question)
        answer = ""
        try:
            async for piece in self._talk.Interview(request, metadata=self.metadata, timeout=self._call_s):
                answer = piece.full_text or answer
        except grpc.aio.AioRpcError as error:
            raise said(error) from error
        return answer

    async def _call(self, call: Awaitable[T]) -> T:
        try:
            return await call
        except grpc.aio.AioRpcError as error:
            raise said(error) from error


def said(error: grpc.aio.AioRpcError) -> NpcServerError:
    """The server's refusal as the error it was there: same class, reason and words."""
    reason, values = _told(error)
    if not reason:
        what = f"The server did not answer ({error.code().name}: {error.details()})."
        return NpcServerError(what, "See whether it runs, and at this address.", code=error.code().name)
    found = next((kind for kind in _tree(NpcServerError) if kind.__dict__.get("reason") == reason), NpcServerError)
    made = NpcServerError.__new__(found)
    NpcServerError.__init__(made, error.details() or "", "", **values)
    return made


def broke(error: grpc.aio.AioRpcError) -> bool:
    """Whether the connection ended the call. INTERNAL without a reason is gRPC's own word for a break in the middle of a message."""
    code = error.code()
    return code is grpc.StatusCode.UNAVAILABLE or (code is grpc.StatusCode.INTERNAL and not _told(error)[0])


def _told(error: grpc.aio.AioRpcError) -> tuple[str, dict[str, str]]:
    """The reason and the values that the server gives; empty when the error is not its own."""
    reason, values = "", {}
    status = rpc_status.from_call(error)  # type: ignore[arg-type]  # has all it asks for
    for detail in status.details if status is not None else ():
        info = error_details_pb2.ErrorInfo()
        if detail.Is(info.DESCRIPTOR) and detail.Unpack(info):
            reason, values = info.reason, dict(info.metadata)
    return reason, values


def _tree(kind: type[NpcServerError]) -> list[type[NpcServerError]]:
    return [kind, *(below for child in kind.__subclasses__() for below in _tree(child))]


def _document(it: Document) -> pb.Document:
    return pb.Document(name=it.name, text=it.text)
