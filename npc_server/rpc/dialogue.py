"""DialogueService: designed, and not built yet. Each call says so, and what to do until then."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from npc_server.errors import NotYet
from npc_server.rpc.types import Context
from npc_server.v1 import npc_pb2 as pb
from npc_server.v1 import npc_pb2_grpc


class DialogueServicer(npc_pb2_grpc.DialogueServiceServicer):
    def Say(self, request: pb.SayRequest, context: Context) -> AsyncIterator[pb.SayResponse]:
        return _refused(
            "Talking to an NPC (DialogueService.Say)", "Until then, tell it what it hears: a Perception of kind SPEECH on Play."
        )

    async def Whisper(self, request: pb.WhisperRequest, context: Context) -> pb.WhisperResponse:
        raise _not_yet("The inner voice (DialogueService.Whisper)", "Until then, write the intention into the persona's file.")

    def Interview(self, request: pb.InterviewRequest, context: Context) -> AsyncIterator[pb.InterviewResponse]:
        return _refused("Interviews (DialogueService.Interview)", "Until then, look into the mind by MindService.SearchMemories.")

    async def UndoLastLine(self, request: pb.UndoLastLineRequest, context: Context) -> pb.UndoLastLineResponse:
        raise _not_yet("Taking a line back (DialogueService.UndoLastLine)", "Until then, load an earlier save.")


async def _refused(what: str, fix: str) -> AsyncIterator[Any]:
    for error in (_not_yet(what, fix),):
        raise error
    yield


def _not_yet(what: str, fix: str) -> NotYet:
    return NotYet(f"{what} is designed, but this version does not do it yet.", fix)
