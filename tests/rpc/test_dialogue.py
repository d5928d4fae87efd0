from __future__ import annotations

import asyncio

import grpc
import pytest

from npc_server.v1 import npc_pb2 as pb
from tests.rpc.conftest import Game
from tests.rpc.test_interceptors import failure
from tests.rpc.test_servicers import memory
from tests.waiting import LIMIT_S

S = "s1"
NPC = "mara_voss"


async def test_an_answer_streams_and_comes_whole_at_the_end(game: Game) -> None:
    game.host.session_.words = ("Good ", "morning.")
    said = [it async for it in game.dialogue.Say(pb.SayRequest(session_id=S, npc_id=NPC, speaker="Ada", text="Hello!"), metadata=game.auth)]
    assert [it.delta for it in said] == ["Good ", "morning.", ""]
    assert [it.done for it in said] == [False, False, True]
    assert (said[-1].full_text, said[-1].ended, said[-1].source) == ("Ada said Hello!", True, pb.DECISION_SOURCE_INSTINCT)


async def test_an_answer_that_did_not_stream_is_one_delta(game: Game) -> None:
    (said,) = [
        it async for it in game.dialogue.Say(pb.SayRequest(session_id=S, npc_id=NPC, speaker="Ada", text="Hello!"), metadata=game.auth)
    ]
    assert said.delta == said.full_text == "Ada said Hello!"


async def test_what_did_not_stream_of_an_answer_comes_with_its_end(game: Game) -> None:
    game.host.session_.words = ("Ada ", "said")
    said = [it async for it in game.dialogue.Say(pb.SayRequest(session_id=S, npc_id=NPC, speaker="Ada", text="Hello!"), metadata=game.auth)]
    assert "".join(it.delta for it in said) == said[-1].full_text == "Ada said Hello!"


async def test_an_interview_brings_the_memories_it_was_given(game: Game) -> None:
    game.host.session_.kept = [memory(1), memory(2)]
    said = [
        it
        async for it in game.dialogue.Interview(pb.InterviewRequest(session_id=S, npc_id=NPC, question="Who are you?"), metadata=game.auth)
    ]
    assert said[-1].full_text == "Who are you?"
    assert [scored.memory.id for scored in said[-1].evidence] == [1, 2]


async def test_the_inner_voice_returns_the_intention_and_undo_how_much_went(game: Game) -> None:
    game.host.session_.kept = [memory(1)]
    answer = await game.dialogue.Whisper(pb.WhisperRequest(session_id=S, npc_id=NPC, text="Give a party."), metadata=game.auth)
    assert answer.memory.text == "Give a party."
    undone = await game.dialogue.UndoLastLine(pb.UndoLastLineRequest(session_id=S, npc_id=NPC, speaker="Ada"), metadata=game.auth)
    assert undone.removed == 3


async def test_the_end_of_a_talk_says_whether_there_was_one(game: Game) -> None:
    for speaker, ended in (("Ada", True), ("Bob", False)):
        request = pb.EndTalkRequest(session_id=S, npc_id=NPC, speaker=speaker)
        assert (await game.dialogue.EndTalk(request, metadata=game.auth)).ended is ended


@pytest.mark.parametrize(
    ("speaker", "text", "field"),
    [
        ("", "Hello", "speaker"),
        ("Ada", "  ", "text"),
        ("Ada", "x" * 2001, "text"),
        ("Ada", "\x07\u202e", "text"),
        ("A\nda", "Hello", "speaker"),
        ("A\x9b31mda", "Hello", "speaker"),
    ],
)
async def test_what_cannot_be_said_is_refused_by_field(game: Game, speaker: str, text: str, field: str) -> None:
    error = await failure(game.dialogue.Say(pb.SayRequest(session_id=S, npc_id=NPC, speaker=speaker, text=text), metadata=game.auth))
    assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert field in str(error.details())


async def test_an_unknown_npc_is_told_before_anything_streams(game: Game) -> None:
    request = pb.SayRequest(session_id=S, npc_id="nobody", speaker="Ada", text="Hello")
    error = await failure(game.dialogue.Say(request, metadata=game.auth))
    assert error.code() is grpc.StatusCode.NOT_FOUND


@pytest.mark.parametrize("deadlines", [[None], [0.2, 2, 20, 200]], ids=["the caller hangs up", "its deadline passes"])
async def test_a_line_whose_caller_is_gone_is_ended(game: Game, deadlines: list[float | None]) -> None:
    session = game.host.session_
    session.gate = asyncio.Event()
    request = pb.SayRequest(session_id=S, npc_id=NPC, speaker="Ada", text="Hello!")
    for deadline in deadlines:  # on a busy machine a short one passes before the line is there
        call = game.dialogue.Say(request, metadata=game.auth, timeout=deadline)
        if deadline is None:
            await asyncio.wait_for(session.spoken_to.wait(), LIMIT_S)
            call.cancel()
        else:
            assert (await failure(call)).code() is grpc.StatusCode.DEADLINE_EXCEEDED
        if session.spoken_to.is_set():
            break
    await asyncio.wait_for(session.broken_off.wait(), LIMIT_S)
