"""MindService: a game or a tool reads a mind: its state, memories, plan and relationships. It may also mend the memories."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from npc_server.errors import BadInput
from npc_server.records import Memory, MemoryKind
from npc_server.rpc.contract import HostView
from npc_server.rpc.types import Context
from npc_server.v1 import npc_pb2 as pb
from npc_server.v1 import npc_pb2_grpc
from npc_server.wire import convert_looking, convert_mending, convert_minds, fields

Sized = TypeVar("Sized", pb.Memory, pb.Question)
PAGE = 50
"""How many memories a page has when the request does not say."""
MAX_PAGE = 1_000
PAGE_BYTES = 2 * 1024 * 1024
"""A page ends before it is larger than this. gRPC clients accept 4 MiB."""
QUESTIONS = 10
"""How many questions a page has when the request does not say."""
MAX_QUESTIONS = 100
FOUND = 10
"""How many memories a search returns when the request does not say."""
MAX_FOUND = 100


class MindServicer(npc_pb2_grpc.MindServiceServicer):
    """Implements the calls of MindService in npc.proto."""

    def __init__(self, host: HostView) -> None:
        self._host = host

    async def GetMind(self, request: pb.GetMindRequest, context: Context) -> pb.GetMindResponse:
        session = self._host.session(request.session_id)
        return convert_minds.mind_to_wire(session.mind(fields.npc_id(request.npc_id, "npc_id")))

    async def ListMinds(self, request: pb.ListMindsRequest, context: Context) -> pb.ListMindsResponse:
        session = self._host.session(request.session_id)
        minds = [convert_looking.glance_to_wire(it) for it in session.looking.minds()]
        return pb.ListMindsResponse(minds=minds, now_s=session.now)

    async def ListQuestions(self, request: pb.ListQuestionsRequest, context: Context) -> pb.ListQuestionsResponse:
        session = self._host.session(request.session_id)
        npc = fields.npc_id(request.npc_id, "npc_id")
        size = fields.whole(request.page_size, "page_size", 0, MAX_QUESTIONS) or QUESTIONS
        found = session.looking.questions(npc, _before(request.page_token), size + 1)
        page = _fitting([convert_looking.question_to_wire(it) for it in found[:size]])
        return pb.ListQuestionsResponse(questions=page, next_page_token=str(page[-1].id) if len(found) > len(page) and page else "")

    async def ListMemories(self, request: pb.ListMemoriesRequest, context: Context) -> pb.ListMemoriesResponse:
        session = self._host.session(request.session_id)
        npc = fields.npc_id(request.npc_id, "npc_id")
        size = fields.whole(request.page_size, "page_size", 0, MAX_PAGE) or PAGE
        fields.count(request.kinds, "kinds", MAX_PAGE)
        kinds = [fields.read_enum(MemoryKind, pb.MemoryKind, kind, f"kinds[{i}]") for i, kind in enumerate(request.kinds)]
        found = session.memories(npc, kinds, _before(request.page_token), size + 1)
        page = _fitting([convert_minds.memory_to_wire(memory) for memory in found[:size]])
        return pb.ListMemoriesResponse(memories=page, next_page_token=str(page[-1].id) if len(found) > len(page) and page else "")

    async def SearchMemories(self, request: pb.SearchMemoriesRequest, context: Context) -> pb.SearchMemoriesResponse:
        session = self._host.session(request.session_id)
        npc = fields.npc_id(request.npc_id, "npc_id")
        query = fields.text(request.query, "query", required=True)
        limit = fields.whole(request.limit, "limit", 0, MAX_FOUND) or FOUND
        return pb.SearchMemoriesResponse(memories=[convert_minds.scored_to_wire(it) for it in await session.search(npc, query, limit)])

    async def GetEvidence(self, request: pb.GetEvidenceRequest, context: Context) -> pb.GetEvidenceResponse:
        session = self._host.session(request.session_id)
        npc = fields.npc_id(request.npc_id, "npc_id")
        memory_id = fields.whole(request.memory_id, "memory_id", 1, 2**62)
        return pb.GetEvidenceResponse(memories=[convert_minds.memory_to_wire(memory) for memory in session.evidence(npc, memory_id)])

    async def GetPlan(self, request: pb.GetPlanRequest, context: Context) -> pb.GetPlanResponse:
        session = self._host.session(request.session_id)
        npc = fields.npc_id(request.npc_id, "npc_id")
        day = fields.time(request.day_s, "day_s") or session.now
        return pb.GetPlanResponse(steps=[convert_minds.plan_step_to_wire(step) for step in session.plan(npc, day)])

    async def GetRelations(self, request: pb.GetRelationsRequest, context: Context) -> pb.GetRelationsResponse:
        session = self._host.session(request.session_id)
        npc = fields.npc_id(request.npc_id, "npc_id")
        return pb.GetRelationsResponse(relations=[convert_minds.social_to_wire(it) for it in session.relations(npc)])

    async def AddMemory(self, request: pb.AddMemoryRequest, context: Context) -> pb.AddMemoryResponse:
        session = self._host.session(request.session_id)
        to, new = convert_mending.audience_from_wire(request.to), convert_mending.new_memory_from_wire(request)
        done = await session.mending.add(_epoch(request.epoch), to, new)
        return pb.AddMemoryResponse(memories=_listed(done.memories), without=done.without)

    async def EditMemory(self, request: pb.EditMemoryRequest, context: Context) -> pb.EditMemoryResponse:
        session = self._host.session(request.session_id)
        npc = fields.npc_id(request.npc_id, "npc_id")
        memory_id = fields.whole(request.memory_id, "memory_id", 1, 2**62)
        text, by = convert_mending.memory_text(request.text), convert_mending.author(request.by)
        importance = fields.whole(request.importance, "importance", 0, 10)
        done = await session.mending.edit(_epoch(request.epoch), npc, memory_id, text, importance, by)
        return pb.EditMemoryResponse(memory=convert_minds.memory_to_wire(done.memories[0]), in_doubt=_listed(done.in_doubt))

    async def DeleteMemory(self, request: pb.DeleteMemoryRequest, context: Context) -> pb.DeleteMemoryResponse:
        session = self._host.session(request.session_id)
        epoch, by = _epoch(request.epoch), convert_mending.author(request.by)
        if bool(request.key) == bool(request.memory_id):
            raise BadInput("Of memory_id and key, one must be given.", "Give memory_id with npc_id, or key.", field="memory_id")
        if request.key:
            of = convert_mending.audience_from_wire(request.to)
            done = await session.mending.delete_key(epoch, convert_mending.key(request.key), of, by)
        else:
            npc = fields.npc_id(request.npc_id, "npc_id")
            done = await session.mending.delete(epoch, npc, fields.whole(request.memory_id, "memory_id", 1, 2**62), by)
        return pb.DeleteMemoryResponse(deleted=_listed(done.memories), in_doubt=_listed(done.in_doubt))

    async def ListMemoryChanges(self, request: pb.ListMemoryChangesRequest, context: Context) -> pb.ListMemoryChangesResponse:
        session = self._host.session(request.session_id)
        npc = fields.npc_id(request.npc_id, "npc_id")
        found = await session.mending.changes(npc, fields.whole(request.memory_id, "memory_id", 0, 2**62))
        return pb.ListMemoryChangesResponse(changes=[convert_mending.change_to_wire(it) for it in found])


def _fitting(messages: Sequence[Sized]) -> list[Sized]:
    """Returns as many of the messages as a page may have, but at least one."""
    page: list[Sized] = []
    room = PAGE_BYTES
    for message in messages:
        room -= message.ByteSize()
        if page and room < 0:
            break
        page.append(message)
    return page


def _epoch(value: int) -> int:
    return fields.whole(value, "epoch", 0, 2**62)


def _listed(memories: Sequence[Memory]) -> list[pb.Memory]:
    return [convert_minds.memory_to_wire(memory) for memory in memories]


def _before(token: str) -> int:
    """Returns the id below which the page starts, or 0 for the newest memories. Raises BadInput."""
    if not token:
        return 0
    if not (token.isascii() and token.isdecimal() and 0 < len(token) <= 18 and int(token) > 0):
        raise fields.bad("page_token", token, "it is not a token of an earlier page", "Send next_page_token as it came, or leave it empty.")
    return int(token)
