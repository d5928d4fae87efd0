"""The calls that add, edit and delete memories: what reaches the session, what comes back, and what is refused on the way."""

from __future__ import annotations

from typing import Any

import grpc
import pytest

from npc_server.records import Memory, MemoryChange, MemoryChangeKind, MemoryKind, MemorySource
from npc_server.session.audience import Audience
from npc_server.session.mend import NewMemory
from npc_server.session.mending import Mended
from npc_server.v1 import npc_pb2 as pb
from tests.rpc.conftest import Game

S = "s1"
KING = Memory("mara_voss", 7, MemoryKind.OBSERVATION, "The king is dead.", 5, 6, 9, key="king_dead")
DOUBT = Memory("mara_voss", 8, MemoryKind.REFLECTION, "Hard times come.", 5, 6, 9, doubt="It rests on memory 7, which was deleted.")
ALL = pb.Audience(everybody=True)


async def test_a_new_memory_reaches_the_session_with_all_that_the_game_says(game: Game) -> None:
    game.host.session_.mending.answer = Mended((KING,), (), ("ines_calder",))
    to = pb.Audience(npc_ids=["a"], factions=["guild"], places=["millbrook:cafe"])
    request = pb.AddMemoryRequest(
        session_id=S, epoch=3, to=to, text=" The king\nis dead. ", importance=9, source_person="Ada", at_s=4, address="millbrook:cafe",
        subject="King", key="king_dead", by="quest",
    )  # fmt: skip
    answer = await game.minds.AddMemory(request, metadata=game.auth)
    new = NewMemory("The king is dead.", MemorySource.TOLD, "Ada", 9, 4, "millbrook:cafe", "King", "king_dead", "quest")
    assert game.host.session_.mending.asked == [("add", 3, Audience(("a",), ("guild",), ("millbrook:cafe",)), new)]
    assert ([memory.key for memory in answer.memories], list(answer.without)) == (["king_dead"], ["ines_calder"])


async def test_without_a_teller_the_game_made_it_known(game: Game) -> None:
    await game.minds.AddMemory(pb.AddMemoryRequest(session_id=S, to=ALL, text="It rains."), metadata=game.auth)
    assert game.host.session_.mending.asked == [("add", 0, Audience(everybody=True), NewMemory("It rains.", MemorySource.KNOWN))]


async def test_edits_and_deletions_reach_the_session_and_doubts_come_back(game: Game) -> None:
    mending = game.host.session_.mending
    mending.answer = Mended((KING,), (DOUBT,))
    edited = await game.minds.EditMemory(
        pb.EditMemoryRequest(session_id=S, npc_id="mara_voss", memory_id=7, text="He is ill."), metadata=game.auth
    )
    gone = await game.minds.DeleteMemory(
        pb.DeleteMemoryRequest(session_id=S, npc_id="mara_voss", memory_id=7, by="modder"), metadata=game.auth
    )
    await game.minds.DeleteMemory(pb.DeleteMemoryRequest(session_id=S, key="king_dead", to=ALL), metadata=game.auth)
    assert mending.asked == [
        ("edit", 0, "mara_voss", 7, "He is ill.", 0, "game"),
        ("delete", 0, "mara_voss", 7, "modder"),
        ("delete_key", 0, "king_dead", Audience(everybody=True), "game"),
    ]
    assert (edited.memory.id, edited.in_doubt[0].doubt, gone.deleted[0].text) == (7, DOUBT.doubt, "The king is dead.")


async def test_the_history_comes_with_what_was_before(game: Game) -> None:
    game.host.session_.mending.history = [MemoryChange("mara_voss", 7, MemoryChangeKind.EDITED, 60, "modder", "The king lives.", 4)]
    answer = await game.minds.ListMemoryChanges(pb.ListMemoryChangesRequest(session_id=S, npc_id="mara_voss"), metadata=game.auth)
    assert list(answer.changes) == [
        pb.MemoryChange(
            memory_id=7, kind=pb.MEMORY_CHANGE_KIND_EDITED, at_s=60, by="modder", former_text="The king lives.", former_importance=4
        )
    ]


def added(**fields: Any) -> pb.AddMemoryRequest:
    return pb.AddMemoryRequest(**{"session_id": S, "to": ALL, "text": "It rains.", **fields})


WRONG = [
    (added(text=""), "Field text"),
    (added(text=" \n "), "Field text"),
    (added(text="x" * 2_001), "2001 characters"),
    (added(importance=11), "Field importance"),
    (added(importance=-1), "Field importance"),
    (added(source=pb.MEMORY_SOURCE_TOLD), "source_person is empty"),
    (added(source=pb.MEMORY_SOURCE_SEEN, source_person="Ada"), "Field source_person"),
    (added(source=pb.MEMORY_SOURCE_THOUGHT), "Whisper"),
    (added(source=99), "Field source"),
    (added(key="#7"), "Field key"),
    (added(key="x" * 121), "Field key"),
    (added(by="two\nlines"), "Field by"),
    (added(at_s=2**60), "Field at_s"),
    (added(epoch=-1), "Field epoch"),
    (added(to=pb.Audience(npc_ids=[""])), r"Field to.npc_ids\[0\]"),
    (added(to=pb.Audience(npc_ids=["a"] * 501)), "at most 500"),
    (added(to=pb.Audience(places=["a::b"])), r"Field to.places\[0\]"),
    (pb.EditMemoryRequest(session_id=S, npc_id="a", memory_id=0, text="x"), "Field memory_id"),
    (pb.EditMemoryRequest(session_id=S, npc_id="a", memory_id=1, text=" "), "Field text"),
    (pb.DeleteMemoryRequest(session_id=S, npc_id="a"), "memory_id and key"),
    (pb.DeleteMemoryRequest(session_id=S, npc_id="a", memory_id=1, key="k"), "memory_id and key"),
    (pb.DeleteMemoryRequest(session_id=S, memory_id=1), "Field npc_id"),
]


@pytest.mark.parametrize(("request_", "why"), WRONG)
async def test_a_wrong_field_is_refused_by_name(game: Game, request_: Any, why: str) -> None:
    call = getattr(game.minds, type(request_).__name__.removesuffix("Request"))
    with pytest.raises(grpc.aio.AioRpcError, match=why) as refused:
        await call(request_, metadata=game.auth)
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert game.host.session_.mending.asked == []
