"""DialogueService: a player talks to an NPC, and the tokens of the answer stream to the game while the model writes them.

`llm/streamed_words.py` takes the spoken words out of the tokens, and `_streaming` here sends them on.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import TypeVar

from npc_server.records import Source
from npc_server.rpc.contract import HostView
from npc_server.rpc.types import Context
from npc_server.v1 import npc_pb2 as pb
from npc_server.v1 import npc_pb2_grpc
from npc_server.wire import convert_minds, fields

MAX_WORDS = 2_000
"""Characters that a line, whisper or question may have. A longer one would leave no room for anything else in the prompt."""

T = TypeVar("T")


class DialogueServicer(npc_pb2_grpc.DialogueServiceServicer):
    """Implements the calls of DialogueService in npc.proto."""

    def __init__(self, host: HostView) -> None:
        self._host = host

    async def Say(self, request: pb.SayRequest, context: Context) -> AsyncIterator[pb.SayResponse]:
        session = self._host.session(request.session_id)
        npc = fields.npc_id(request.npc_id, "npc_id")
        speaker = fields.line(request.speaker, "speaker", required=True)
        text = _words(request.text, "text")
        heard = ""
        async with aclosing(_streaming(lambda on_text: session.say(npc, speaker, text, on_text))) as pieces:
            async for piece in pieces:
                if isinstance(piece, str):
                    heard += piece
                    yield pb.SayResponse(delta=piece)
                else:
                    yield pb.SayResponse(
                        delta=_rest(piece.text, heard),
                        full_text=piece.text,
                        done=True,
                        ended=piece.ended,
                        source=_source(piece.source),
                        actions=[convert_minds.game_action_to_wire(action) for action in piece.actions],
                    )

    async def Whisper(self, request: pb.WhisperRequest, context: Context) -> pb.WhisperResponse:
        session = self._host.session(request.session_id)
        npc = fields.npc_id(request.npc_id, "npc_id")
        return pb.WhisperResponse(memory=convert_minds.memory_to_wire(await session.whisper(npc, _words(request.text, "text"))))

    async def Interview(self, request: pb.InterviewRequest, context: Context) -> AsyncIterator[pb.InterviewResponse]:
        session = self._host.session(request.session_id)
        npc = fields.npc_id(request.npc_id, "npc_id")
        question = _words(request.question, "question")
        heard = ""
        async with aclosing(_streaming(lambda on_text: session.interview(npc, question, on_text))) as pieces:
            async for piece in pieces:
                if isinstance(piece, str):
                    heard += piece
                    yield pb.InterviewResponse(delta=piece)
                else:
                    answer, source, evidence = piece
                    yield pb.InterviewResponse(
                        delta=_rest(answer, heard),
                        full_text=answer,
                        done=True,
                        source=_source(source),
                        evidence=[convert_minds.scored_to_wire(scored) for scored in evidence],
                    )

    async def UndoLastLine(self, request: pb.UndoLastLineRequest, context: Context) -> pb.UndoLastLineResponse:
        session = self._host.session(request.session_id)
        npc = fields.npc_id(request.npc_id, "npc_id")
        speaker = fields.line(request.speaker, "speaker", required=True)
        return pb.UndoLastLineResponse(removed=await session.undo(npc, speaker))

    async def EndTalk(self, request: pb.EndTalkRequest, context: Context) -> pb.EndTalkResponse:
        session = self._host.session(request.session_id)
        npc = fields.npc_id(request.npc_id, "npc_id")
        speaker = fields.line(request.speaker, "speaker", required=True)
        return pb.EndTalkResponse(ended=await session.end_talk(npc, speaker))


async def _streaming(run: Callable[[Callable[[str], None]], Awaitable[T]]) -> AsyncGenerator[str | T, None]:
    """Runs `run`, and yields each piece of text that it reports and then its result.

    When the caller goes away, `run` is cancelled, and the generator waits until it has ended.
    """
    pieces: asyncio.Queue[str | None] = asyncio.Queue()
    task = asyncio.ensure_future(run(pieces.put_nowait))
    task.add_done_callback(lambda _: pieces.put_nowait(None))
    try:
        while (piece := await pieces.get()) is not None:
            yield piece
        yield await task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def _rest(text: str, heard: str) -> str:
    """What was not heard yet of a text that begins with what was."""
    return text[len(heard) :] if text.startswith(heard) else ""


def _words(text: str, field: str) -> str:
    """Returns what somebody says as one line. Raises BadInput when it is empty or too long."""
    words = " ".join(fields.text(text, field, MAX_WORDS, required=True).split())
    return words or fields.text("", field, required=True)


def _source(source: Source) -> pb.DecisionSource.ValueType:
    value: pb.DecisionSource.ValueType = fields.write_enum(pb.DecisionSource, source)
    return value
