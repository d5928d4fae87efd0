"""Each unary call: what reaches the host, what comes back, what is refused on the way."""

from __future__ import annotations

from typing import Any

import grpc
import pytest

from npc_server.llm.engine import EngineStatus
from npc_server.records import (
    AnsweredBy,
    AskedQuestion,
    CallOutcome,
    Document,
    GameAction,
    Memory,
    MemoryKind,
    MindGlance,
    ModelCall,
    Mood,
    Needs,
    PlanOrigin,
    SaveInfo,
)
from npc_server.rpc import minds, saves
from npc_server.session.game_files import ChangeKind, FileChange, GameFiles
from npc_server.v1 import npc_pb2 as pb
from tests.rpc.conftest import Game
from tests.rpc.test_interceptors import failure, info_of

S = "s1"


def memory(number: int, kind: MemoryKind = MemoryKind.OBSERVATION, text: str = "It rains.") -> Memory:
    return Memory("mara_voss", number, kind, text, 5, 6, 3)


async def test_saves_are_listed_with_all_they_say(game: Game) -> None:
    (save,) = (await game.saves.ListSaves(pb.ListSavesRequest(), metadata=game.auth)).saves
    assert (save.slot, save.town, save.game_time_s, save.people[0], save.size_bytes) == ("slot", "Millbrook", 1000, "Mara Voss", 4096)


async def test_a_folder_of_thousands_of_saves_is_listed_in_one_message(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    people = tuple(f"Person {n} of a long name" for n in range(200))
    many = [SaveInfo(slot=f"slot {n}", town="Millbrook", now=1, saved_at=1, people=people) for n in range(2_000)]

    async def listed() -> list[SaveInfo]:
        return many

    monkeypatch.setattr(game.host, "list_saves", listed)
    found = (await game.saves.ListSaves(pb.ListSavesRequest(), metadata=game.auth)).saves
    assert [save.slot for save in found] == [save.slot for save in many]
    monkeypatch.setattr(saves, "MOST_LISTED_BYTES", 1_000)
    found = (await game.saves.ListSaves(pb.ListSavesRequest(), metadata=game.auth)).saves
    assert 10 < len(found) < 60
    assert [save.slot for save in found] == [save.slot for save in many[: len(found)]]


async def test_new_save_takes_town_people_seed_and_start(game: Game) -> None:
    request = pb.CreateSaveRequest(
        slot="new one", town=pb.Document(name="t.yaml", text="id: t"), personas=[pb.Document(name="a.yaml", text="x")], seed=-4, start_s=9
    )
    await game.saves.CreateSave(request, metadata=game.auth)
    assert game.host.asked == [("create_save", "new one", Document("t.yaml", "id: t"), (Document("a.yaml", "x"),), -4, 9)]


async def test_new_save_takes_policies(game: Game) -> None:
    file = pb.Document(name="p.yaml", text="policies: []")
    await game.saves.CreateSave(pb.CreateSaveRequest(slot="new", policies=[file]), metadata=game.auth)
    assert game.host.asked == [("create_save", "new", None, (), 0, 0, (Document("p.yaml", "policies: []"),))]
    too_many = pb.CreateSaveRequest(slot="new", policies=[file] * 17)
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await game.saves.CreateSave(too_many, metadata=game.auth)
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT


async def test_new_save_may_be_without_a_town(game: Game) -> None:
    await game.saves.CreateSave(pb.CreateSaveRequest(slot="new"), metadata=game.auth)
    assert game.host.asked == [("create_save", "new", None, (), 0, 0)]


async def test_opening_a_save_gives_the_session_and_where_it_stands(game: Game) -> None:
    game.host.session_.last_stored_seq = 12
    game.host.engine.now = EngineStatus(ready=True, model="qwen3-1.7b", problem="No answer could be used.", choice="It is the best here.")
    request = pb.OpenSaveRequest(slot="slot", resume_epoch=3, discard_unsaved=True)
    answer = await game.saves.OpenSave(request, metadata=game.auth)
    assert (answer.session_id, answer.epoch, answer.last_stored_seq, list(answer.npc_ids)) == (S, 3, 12, ["mara_voss"])
    assert (answer.model, answer.model_problem) == ("qwen3-1.7b", "No answer could be used.")
    assert answer.model_note == "It is the best here."
    assert game.host.asked == [("open_save", "slot", 3, True)]


async def test_opening_takes_what_the_game_has_and_tells_what_changed(game: Game) -> None:
    game.host.session_.changes = (FileChange("a.yaml", "ann", ChangeKind.ADDED, "a.yaml is new."),)
    town, ann = pb.Document(name="t.yaml", text="id: t"), pb.Document(name="a.yaml", text="x", path="/games/a.yaml")
    request = pb.OpenSaveRequest(slot="slot", game="harbor-tale", town=town, personas=[ann])
    answer = await game.saves.OpenSave(request, metadata=game.auth)
    files = GameFiles("harbor-tale", Document("t.yaml", "id: t"), (Document("a.yaml", "x", "/games/a.yaml"),))
    assert game.host.asked == [("open_save", "slot", 0, False, files)]
    assert list(answer.changes) == [pb.FileChange(file="a.yaml", npc_id="ann", kind=pb.CHANGE_KIND_ADDED, summary="a.yaml is new.")]


async def test_session_is_saved_loaded_and_closed(game: Game) -> None:
    assert (await game.saves.SaveGame(pb.SaveGameRequest(session_id=S, slot="b"), metadata=game.auth)).save.slot == "slot"
    assert (await game.saves.LoadGame(pb.LoadGameRequest(session_id=S), metadata=game.auth)).epoch == 4
    await game.saves.CloseSave(pb.CloseSaveRequest(session_id=S, save=True), metadata=game.auth)
    error = await failure(game.saves.SaveGame(pb.SaveGameRequest(session_id=S), metadata=game.auth))
    assert info_of(error).reason == "NO_SESSION"


async def test_world_is_registered_node_by_node(game: Game) -> None:
    node = pb.WorldNode(address="w:s", kind=pb.NODE_KIND_SECTOR, name="the square", hours="06:00-24:00")
    answer = await game.world.RegisterWorld(pb.RegisterWorldRequest(session_id=S, nodes=[node]), metadata=game.auth)
    assert (answer.nodes, list(answer.warnings)) == (1, ["a warning"])
    assert game.host.session_.nodes[0].hours == (6 * 3600, 24 * 3600)


async def test_addresses_of_the_world_are_listed(game: Game) -> None:
    nodes = [pb.WorldNode(address=it, kind=pb.NODE_KIND_SECTOR, name="s") for it in ("w:square", "w:hall")]
    await game.world.RegisterWorld(pb.RegisterWorldRequest(session_id=S, nodes=nodes), metadata=game.auth)
    answer = await game.world.ListAddresses(pb.ListAddressesRequest(session_id=S), metadata=game.auth)
    assert list(answer.addresses) == ["w:square", "w:hall"]


async def test_one_wrong_node_refuses_all_and_is_named(game: Game) -> None:
    nodes = [pb.WorldNode(address="w", kind=pb.NODE_KIND_WORLD, name="w"), pb.WorldNode(address="w:s", name="s")]
    error = await failure(game.world.RegisterWorld(pb.RegisterWorldRequest(session_id=S, nodes=nodes), metadata=game.auth))
    assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert info_of(error).metadata["field"] == "nodes[1].kind"
    assert game.host.session_.nodes == []


async def test_mind_is_shown_with_its_memories_by_kind(game: Game) -> None:
    answer = await game.minds.GetMind(pb.GetMindRequest(session_id=S, npc_id="mara_voss"), metadata=game.auth)
    assert (answer.name, dict(answer.memories), answer.HasField("action")) == ("Mara Voss", {"seed": 2}, False)


async def test_unknown_npc_is_not_found_by_its_name(game: Game) -> None:
    error = await failure(game.minds.GetMind(pb.GetMindRequest(session_id=S, npc_id="nobody"), metadata=game.auth))
    assert error.code() is grpc.StatusCode.NOT_FOUND
    assert "'nobody'" in str(error.details())


async def pages(game: Game, **asked: Any) -> list[list[int]]:
    found: list[list[int]] = []
    token = ""
    while True:
        request = pb.ListMemoriesRequest(session_id=S, npc_id="mara_voss", page_token=token, **asked)
        answer = await game.minds.ListMemories(request, metadata=game.auth)
        found.append([it.id for it in answer.memories])
        token = answer.next_page_token
        if not token:
            return found


@pytest.mark.parametrize("count", [0, 1, 3, 4, 7])
async def test_memories_come_page_by_page_newest_first_each_once(game: Game, count: int) -> None:
    game.host.session_.kept = [memory(number) for number in range(1, count + 1)]
    found = await pages(game, page_size=3)
    assert [number for page in found for number in page] == list(range(count, 0, -1))
    assert all(page for page in found) or count == 0


async def test_memories_can_be_asked_by_kind(game: Game) -> None:
    game.host.session_.kept = [memory(1), memory(2, MemoryKind.PLAN), memory(3, MemoryKind.SEED)]
    assert await pages(game, kinds=[pb.MEMORY_KIND_PLAN, pb.MEMORY_KIND_SEED]) == [[3, 2]]


async def test_page_ends_early_rather_than_pass_what_a_client_takes(game: Game) -> None:
    game.host.session_.kept = [memory(number, text="x" * 50_000) for number in range(1, 201)]
    found = await pages(game, page_size=200)
    assert [number for page in found for number in page] == list(range(200, 0, -1))
    assert max(len(page) for page in found) <= minds.PAGE_BYTES // 50_000


@pytest.mark.parametrize("token", ["x", "-1", "0", "1" * 19, "١"])
async def test_page_token_that_never_was_is_refused(game: Game, token: str) -> None:
    request = pb.ListMemoriesRequest(session_id=S, npc_id="mara_voss", page_token=token)
    assert (await failure(game.minds.ListMemories(request, metadata=game.auth))).code() is grpc.StatusCode.INVALID_ARGUMENT


@pytest.mark.parametrize(
    "wrong", [{"page_size": -1}, {"page_size": 1_001}, {"kinds": [0]}, {"kinds": [99]}, {"npc_id": ""}], ids=lambda wrong: next(iter(wrong))
)
async def test_wrong_question_for_memories_is_refused(game: Game, wrong: dict[str, Any]) -> None:
    request = pb.ListMemoriesRequest(**{"session_id": S, "npc_id": "mara_voss", **wrong})
    assert (await failure(game.minds.ListMemories(request, metadata=game.auth))).code() is grpc.StatusCode.INVALID_ARGUMENT


async def test_everybody_is_listed_with_what_they_do_and_why(game: Game) -> None:
    game.host.session_.looking.seen = [
        MindGlance(
            "mara_voss",
            "Mara Voss",
            None,
            "millbrook",
            False,
            Needs(food=3.0),
            Mood(),
            20_000,
            20_411,
            7,
            ("knead", "bake"),
            PlanOrigin.AGREED,
        )
    ]
    answer = await game.minds.ListMinds(pb.ListMindsRequest(session_id=S), metadata=game.auth)
    (mara,) = answer.minds
    assert (mara.name, list(mara.why), mara.origin, mara.HasField("action")) == (
        "Mara Voss",
        ["knead", "bake"],
        pb.PLAN_ORIGIN_AGREED,
        False,
    )
    assert (mara.memories, mara.latest_memory_id, mara.latest_question_id, mara.needs.food) == (20_000, 20_411, 7, 3.0)


def question(number: int, reply: str = "9") -> AskedQuestion:
    call = ModelCall("mara_voss", "importance", 3600, 210, 200, 1, 12.5, CallOutcome.USED, "mended: labels")
    return AskedQuestion(number, call, AnsweredBy.MODEL, "You are Mara.", "How important is it?", reply)


async def test_questions_come_page_by_page_with_their_words_and_costs(game: Game) -> None:
    game.host.session_.looking.asked = [question(number) for number in (1, 2, 3)]
    request = pb.ListQuestionsRequest(session_id=S, npc_id="mara_voss", page_size=2)
    answer = await game.minds.ListQuestions(request, metadata=game.auth)
    assert [it.id for it in answer.questions] == [3, 2]
    first = answer.questions[0]
    assert (first.name, first.by, first.outcome) == ("importance", pb.ANSWERED_BY_MODEL, pb.QUESTION_OUTCOME_USED)
    assert (first.system, first.user, first.reply, first.reason) == ("You are Mara.", "How important is it?", "9", "mended: labels")
    assert (first.prompt_tokens, first.cached_tokens, first.reply_tokens, first.wall_ms) == (210, 200, 1, 12.5)
    request.page_token = answer.next_page_token
    rest = await game.minds.ListQuestions(request, metadata=game.auth)
    assert ([it.id for it in rest.questions], rest.next_page_token) == ([1], "")


async def test_a_page_of_long_prompts_ends_early(game: Game) -> None:
    game.host.session_.looking.asked = [question(number, "x" * 500_000) for number in range(1, 11)]
    request = pb.ListQuestionsRequest(session_id=S, npc_id="mara_voss", page_size=10)
    answer = await game.minds.ListQuestions(request, metadata=game.auth)
    assert 1 <= len(answer.questions) <= minds.PAGE_BYTES // 500_000
    assert answer.next_page_token == str(answer.questions[-1].id)


@pytest.mark.parametrize(
    "wrong", [{"page_size": -1}, {"page_size": 101}, {"npc_id": ""}, {"page_token": "x"}], ids=lambda it: next(iter(it))
)
async def test_a_wrong_request_for_questions_is_refused(game: Game, wrong: dict[str, Any]) -> None:
    request = pb.ListQuestionsRequest(**{"session_id": S, "npc_id": "mara_voss", **wrong})
    assert (await failure(game.minds.ListQuestions(request, metadata=game.auth))).code() is grpc.StatusCode.INVALID_ARGUMENT


async def test_search_tells_the_parts_of_each_score(game: Game) -> None:
    game.host.session_.kept = [memory(number) for number in range(1, 30)]
    request = pb.SearchMemoriesRequest(session_id=S, npc_id="mara_voss", query="rain")
    answer = await game.minds.SearchMemories(request, metadata=game.auth)
    assert len(answer.memories) == minds.FOUND
    first = answer.memories[0]
    assert (first.score, first.recency, first.importance, first.relevance) == (1.0, 0.5, 0.25, 0.25)


@pytest.mark.parametrize(("query", "limit"), [("", 5), (" ", 5), ("x" * 2_001, 5), ("rain", -1), ("rain", 101)])
async def test_wrong_search_is_refused(game: Game, query: str, limit: int) -> None:
    request = pb.SearchMemoriesRequest(session_id=S, npc_id="mara_voss", query=query, limit=limit)
    assert (await failure(game.minds.SearchMemories(request, metadata=game.auth))).code() is grpc.StatusCode.INVALID_ARGUMENT


async def test_evidence_of_a_memory_is_given_and_a_number_that_is_none_refused(game: Game) -> None:
    game.host.session_.kept = [memory(number) for number in (1, 2, 3)]
    answer = await game.minds.GetEvidence(pb.GetEvidenceRequest(session_id=S, npc_id="mara_voss", memory_id=2), metadata=game.auth)
    assert [it.id for it in answer.memories] == [2, 3]
    error = await failure(game.minds.GetEvidence(pb.GetEvidenceRequest(session_id=S, npc_id="mara_voss"), metadata=game.auth))
    assert error.code() is grpc.StatusCode.INVALID_ARGUMENT


async def test_relations_say_what_others_are_to_somebody(game: Game) -> None:
    answer = await game.minds.GetRelations(pb.GetRelationsRequest(session_id=S, npc_id="mara_voss"), metadata=game.auth)
    (one,) = answer.relations
    assert (one.other, one.relation, one.between, one.closeness, one.upto_memory_id, one.revised_s) == (
        "Ada",
        "customer",
        "She sells wool.",
        2,
        7,
        3600,
    )
    error = await failure(game.minds.GetRelations(pb.GetRelationsRequest(session_id=S, npc_id="nobody"), metadata=game.auth))
    assert error.code() is grpc.StatusCode.NOT_FOUND


async def test_plan_of_today_is_asked_without_a_day(game: Game) -> None:
    await game.minds.GetPlan(pb.GetPlanRequest(session_id=S, npc_id="mara_voss"), metadata=game.auth)
    error = await failure(game.minds.GetPlan(pb.GetPlanRequest(session_id=S, npc_id="mara_voss", day_s=2**62), metadata=game.auth))
    assert error.code() is grpc.StatusCode.INVALID_ARGUMENT


async def test_an_answers_last_message_says_what_the_npc_does_with_it(game: Game) -> None:
    game.host.session_.actions = (GameAction("mara_voss", "t/open_shop/2", "open_shop", '{"item": "cheese"}'),)
    request = pb.SayRequest(session_id=S, npc_id="mara_voss", speaker="Ada", text="May I see the cheese?")
    pieces = [piece async for piece in game.dialogue.Say(request, metadata=game.auth)]
    (action,) = pieces[-1].actions
    assert (action.call_id, action.name, action.arguments_json) == ("t/open_shop/2", "open_shop", '{"item": "cheese"}')
