"""SaveService: a game lists, creates, opens, saves, loads and deletes saves. An open save is a session."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

import structlog

from npc_server.rpc.contract import HostView
from npc_server.rpc.openings import AskedSlot, Openings
from npc_server.rpc.types import Context
from npc_server.v1 import npc_pb2 as pb
from npc_server.v1 import npc_pb2_grpc
from npc_server.wire import convert, convert_files, fields

T = TypeVar("T")
MOST_LISTED_BYTES = 3 * 1024 * 1024
"""A list of saves is kept below this: some 20,000 saves of three people, or 1,000 of a hundred. gRPC clients accept 4 MiB."""
_log = structlog.get_logger("npc_server.rpc")


class SaveServicer(npc_pb2_grpc.SaveServiceServicer):
    """Implements the calls of SaveService in npc.proto. A call that changes a file runs to its end even when the caller hangs up."""

    def __init__(self, host: HostView, local: bool = True) -> None:
        """`local` says that the game runs on this machine, so that the paths of its files are valid here."""
        self._host = host
        self._local = local
        self._running: set[asyncio.Task[Any]] = set()
        self._openings = Openings(host.session)

    async def settled(self) -> None:
        """Waits until no call that changes a file runs."""
        while self._running:
            await asyncio.wait(self._running)

    async def ListSaves(self, request: pb.ListSavesRequest, context: Context) -> pb.ListSavesResponse:
        return pb.ListSavesResponse(saves=_fitting([convert.save_to_wire(save) for save in await self._host.list_saves()]))

    async def CreateSave(self, request: pb.CreateSaveRequest, context: Context) -> pb.CreateSaveResponse:
        slot = fields.slot(request.slot)
        fields.count(request.personas, "personas", fields.MAX_PERSONAS)
        town, personas = convert_files.town_from_wire(request), convert_files.personas_from_wire(request.personas)
        game = convert_files.game_from_wire(request)
        fields.count(request.policies, "policies", fields.MAX_POLICY_FILES)
        policies = [convert.document_from_wire(it, f"policies[{i}]") for i, it in enumerate(request.policies)]
        start = fields.time(request.start_s, "start_s")
        mods = convert_files.mods_from_wire(request.mods)
        made = self._host.create_save(slot, town, personas, request.seed, start, policies, game, request.replace, mods)
        info = await self._finish(made)
        return pb.CreateSaveResponse(save=convert.save_to_wire(info), warnings=info.warnings)

    async def OpenSave(self, request: pb.OpenSaveRequest, context: Context) -> pb.OpenSaveResponse:
        slot = fields.slot(request.slot)
        epoch = fields.whole(request.resume_epoch, "resume_epoch", 0, 2**62)
        files = convert_files.files_from_wire(request, self._local)
        asked = AskedSlot(slot, epoch, request.discard_unsaved, files)
        session = await self._openings.session(
            asked, lambda: self._begun(self._host.open_save(slot, epoch, request.discard_unsaved, files))
        )
        status = self._host.engine.status()
        return pb.OpenSaveResponse(
            session_id=session.id,
            epoch=session.epoch,
            recovered=session.recovered,
            last_stored_seq=session.last_stored_seq,
            save=convert.save_to_wire(session.info),
            npc_ids=session.npc_ids,
            changes=[convert_files.change_to_wire(change) for change in session.changes],
            model=status.model,
            model_problem=status.problem,
            model_note=status.told,
        )

    async def SaveGame(self, request: pb.SaveGameRequest, context: Context) -> pb.SaveGameResponse:
        session = self._host.session(request.session_id)
        info = await self._finish(session.save_game(fields.slot(request.slot, required=False)))
        return pb.SaveGameResponse(save=convert.save_to_wire(info))

    async def LoadGame(self, request: pb.LoadGameRequest, context: Context) -> pb.LoadGameResponse:
        session = self._host.session(request.session_id)
        info = await self._finish(session.load_game(fields.slot(request.slot, required=False)))
        return pb.LoadGameResponse(epoch=session.epoch, save=convert.save_to_wire(info))

    async def ApplyFiles(self, request: pb.ApplyFilesRequest, context: Context) -> pb.ApplyFilesResponse:
        session = self._host.session(request.session_id)
        applied = await self._finish(session.apply_files(convert_files.files_from_wire(request, self._local)))
        changes = [convert_files.change_to_wire(change) for change in applied.changes]
        return pb.ApplyFilesResponse(changes=changes, warnings=applied.warnings, npc_ids=session.npc_ids)

    async def CloseSave(self, request: pb.CloseSaveRequest, context: Context) -> pb.CloseSaveResponse:
        await self._finish(self._host.session(request.session_id).close(request.save))
        return pb.CloseSaveResponse()

    async def DeleteSave(self, request: pb.DeleteSaveRequest, context: Context) -> pb.DeleteSaveResponse:
        await self._finish(self._host.delete_save(fields.slot(request.slot)))
        return pb.DeleteSaveResponse()

    async def _finish(self, work: Coroutine[Any, Any, T]) -> T:
        """Runs `work` to its end, even when the call is cancelled meanwhile."""
        return await asyncio.shield(self._begun(work))

    def _begun(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = asyncio.get_running_loop().create_task(work)
        self._running.add(task)
        task.add_done_callback(self._over)
        return task

    def _over(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            # The caller got this error already, unless it hung up.
            _log.debug("save call failed", error=str(error))


def _fitting(saves: Sequence[pb.SaveInfo]) -> list[pb.SaveInfo]:
    """Returns as many saves as fit in one message, from the first on. If not all fit, they come without the names of their people."""
    left, fitting = MOST_LISTED_BYTES, list(saves)
    if sum(save.ByteSize() for save in saves) > left:
        fitting = []
        for save in saves:
            bare = pb.SaveInfo()
            bare.CopyFrom(save)
            bare.ClearField("people")
            if (left := left - bare.ByteSize() - 8) < 0:
                break
            fitting.append(bare)
        _log.warning("the list of saves is too long to send whole", saves=len(saves), sent=len(fitting))
    return fitting
