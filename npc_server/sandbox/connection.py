"""The calls of a game besides `Play`. Errors of the server are raised with their original class and reason."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import grpc
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from npc_server.errors import NpcServerError
from npc_server.records import Document, GameTime, NpcId
from npc_server.v1 import npc_pb2 as pb
from npc_server.v1 import npc_pb2_grpc

T = TypeVar("T")

CALL_S = 120.0
"""Default limit of a call, in wall seconds."""


@dataclass(frozen=True)
class OpenedSave:
    """An opened save: its session, epoch, people and time."""

    session_id: str
    slot: str
    epoch: int
    last_stored_seq: int
    npc_ids: tuple[NpcId, ...]
    now: GameTime


class PlayCall(Protocol):
    """An open `Play` stream, with the methods of gRPC's call that the game uses."""

    async def write(self, request: pb.PlayRequest, /) -> None: ...

    async def read(self) -> object:
        """Returns the next PlayResponse, or another object at the end of the stream."""

    def cancel(self) -> bool: ...


class Connection:
    """A channel to a server by TCP (`127.0.0.1:50551`) or Unix socket (`unix:/run/npc.sock`). Create it inside an event loop."""

    def __init__(self, address: str, token: str, call_s: float = CALL_S) -> None:
        # gRPC would wait up to two minutes between attempts to reach a server that went down.
        options = [("grpc.initial_reconnect_backoff_ms", 100), ("grpc.max_reconnect_backoff_ms", 1000)]
        self._channel = grpc.aio.insecure_channel(address, options=options)
        self._call_s = call_s
        self._metadata = (("authorization", f"Bearer {token}"),)
        self._saves: npc_pb2_grpc.SaveServiceAsyncStub = npc_pb2_grpc.SaveServiceStub(self._channel)
        self._minds: npc_pb2_grpc.MindServiceAsyncStub = npc_pb2_grpc.MindServiceStub(self._channel)
        self._talk: npc_pb2_grpc.DialogueServiceAsyncStub = npc_pb2_grpc.DialogueServiceStub(self._channel)
        self._world: npc_pb2_grpc.WorldServiceAsyncStub = npc_pb2_grpc.WorldServiceStub(self._channel)

    async def close(self) -> None:
        await self._channel.close()

    def play(self) -> PlayCall:
        """Opens a `Play` stream."""
        call: PlayCall = self._world.Play(metadata=self._metadata)
        return call

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
        """Creates a save, and returns warnings about its files."""
        files = map(_document, personas)
        request = pb.CreateSaveRequest(
            slot=slot, town=_document(town), personas=files, seed=seed, start_s=start, policies=map(_document, policies), game=game
        )
        return list((await self._call(self._saves.CreateSave(request, metadata=self._metadata, timeout=self._call_s))).warnings)

    async def slots(self) -> list[str]:
        """Returns the names of all saves."""
        found = await self._call(self._saves.ListSaves(pb.ListSavesRequest(), metadata=self._metadata, timeout=CALL_S))
        return [save.slot for save in found.saves]

    async def open_save(self, slot: str, resume_epoch: int = 0, game: str = "") -> OpenedSave:
        request = pb.OpenSaveRequest(slot=slot, resume_epoch=resume_epoch, game=game)
        it = await self._call(self._saves.OpenSave(request, metadata=self._metadata, timeout=self._call_s))
        return OpenedSave(it.session_id, slot, it.epoch, it.last_stored_seq, tuple(it.npc_ids), it.save.game_time_s)

    async def save_game(self, session_id: str) -> pb.SaveInfo:
        request = pb.SaveGameRequest(session_id=session_id)
        return (await self._call(self._saves.SaveGame(request, metadata=self._metadata, timeout=self._call_s))).save

    async def close_save(self, session_id: str, save: bool) -> None:
        request = pb.CloseSaveRequest(session_id=session_id, save=save)
        await self._call(self._saves.CloseSave(request, metadata=self._metadata, timeout=self._call_s))

    async def delete_save(self, slot: str) -> None:
        await self._call(self._saves.DeleteSave(pb.DeleteSaveRequest(slot=slot), metadata=self._metadata, timeout=self._call_s))

    async def minds(self, session_id: str, npcs: Iterable[NpcId]) -> list[pb.GetMindResponse]:
        """Returns the action and the memory counts of each person."""
        return [
            await self._call(
                self._minds.GetMind(pb.GetMindRequest(session_id=session_id, npc_id=npc), metadata=self._metadata, timeout=self._call_s)
            )
            for npc in npcs
        ]

    async def whisper(self, session_id: str, npc: NpcId, text: str) -> None:
        """Speaks to a person as the inner voice."""
        request = pb.WhisperRequest(session_id=session_id, npc_id=npc, text=text)
        await self._call(self._talk.Whisper(request, metadata=self._metadata, timeout=self._call_s))

    async def say(self, session_id: str, npc: NpcId, speaker: str, text: str) -> AsyncIterator[pb.SayResponse]:
        """Yields the answer to a line, piece by piece."""
        request = pb.SayRequest(session_id=session_id, npc_id=npc, speaker=speaker, text=text)
        try:
            async for piece in self._talk.Say(request, metadata=self._metadata, timeout=self._call_s):
                yield piece
        except grpc.aio.AioRpcError as error:
            raise said(error) from error

    async def undo(self, session_id: str, npc: NpcId, speaker: str) -> int:
        """Takes back the last line of the speaker and its answer. Returns how many memories were deleted."""
        request = pb.UndoLastLineRequest(session_id=session_id, npc_id=npc, speaker=speaker)
        return int((await self._call(self._talk.UndoLastLine(request, metadata=self._metadata, timeout=self._call_s))).removed)

    async def interview(self, session_id: str, npc: NpcId, question: str) -> str:
        """Returns the answer to a question that the person does not remember."""
        request = pb.InterviewRequest(session_id=session_id, npc_id=npc, question=question)
        answer = ""
        try:
            async for piece in self._talk.Interview(request, metadata=self._metadata, timeout=self._call_s):
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
    """Turns a gRPC error into the error that the server raised, with the same class, reason and text."""
    reason, values = _told(error)
    if not reason:
        what = f"The server did not answer ({error.code().name}: {error.details()})."
        return NpcServerError(what, "Check that it runs, and that the address is right.", code=error.code().name)
    found = next((kind for kind in _tree(NpcServerError) if kind.__dict__.get("reason") == reason), NpcServerError)
    made = NpcServerError.__new__(found)
    NpcServerError.__init__(made, error.details() or "", "", **values)
    return made


def broke(error: grpc.aio.AioRpcError) -> bool:
    """Whether a lost connection ended the call. gRPC reports INTERNAL without a reason if it broke within a message."""
    code = error.code()
    return code is grpc.StatusCode.UNAVAILABLE or (code is grpc.StatusCode.INTERNAL and not _told(error)[0])


def _told(error: grpc.aio.AioRpcError) -> tuple[str, dict[str, str]]:
    """Returns the reason and values of an error of the server. They are empty for an error of gRPC."""
    reason, values = "", {}
    status = rpc_status.from_call(error)  # type: ignore[arg-type]  # The stubs lack the asyncio class, which has the same methods.
    for detail in status.details if status is not None else ():
        info = error_details_pb2.ErrorInfo()
        if detail.Is(info.DESCRIPTOR) and detail.Unpack(info):
            reason, values = info.reason, dict(info.metadata)
    return reason, values


def _tree(kind: type[NpcServerError]) -> list[type[NpcServerError]]:
    return [kind, *(below for child in kind.__subclasses__() for below in _tree(child))]


def _document(it: Document) -> pb.Document:
    return pb.Document(name=it.name, text=it.text)
