from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from npc_server.clock import DAY, MINUTE, hhmm
from npc_server.config import Settings
from npc_server.errors import BadInput, FileProblem, NoSession, SaveInUse, SaveNotFound, StreamReplaced, UnknownName
from npc_server.llm.embed import HashedWordsEmbedder
from npc_server.llm.no_model import NoModelEngine
from npc_server.llm.scripted import ScriptedEngine
from npc_server.records import (
    Action,
    Clock,
    Document,
    MemoryKind,
    MemoryTopic,
    Notice,
    ObjectChange,
    Outcome,
    OutcomeStatus,
    Perception,
    PerceptionKind,
    PlanLevel,
)
from npc_server.session.host import Host
from tests.session.conftest import PEOPLE, Game, personas, town
from tests.waiting import until

MakeHost = Callable[..., Host]
STOVE = "millbrook:mara_house:kitchen:stove"


async def play(host: Host, slot: str = "one") -> Game:
    await host.create_save(slot, town(), personas(), seed=7, start=0)
    return Game(await host.open_save(slot))


def sees(text: str, at: int, npc: str = "mara_voss", subject: str = "tobin_hale") -> Perception:
    return Perception(npc, PerceptionKind.PERSON, subject, text, "millbrook:lane:square", 2.0, at)


async def a_day(game: Game, minutes: int = 5) -> list[Action]:
    start = game.session.now
    return [action for at in range(start, start + DAY, minutes * MINUTE) for action in await game.tick(at)]


async def test_people_live_a_day_by_their_routines_without_a_model(make_host: MakeHost) -> None:
    game = await play(make_host())
    actions = await a_day(game)
    for npc in PEOPLE:
        own = [action for action in actions if action.npc == npc]
        assert any(action.object_action == "sleep" and hhmm(action.end) < "09:00" for action in own), npc
        assert any(action.object_action == "eat" for action in own), npc
        assert len({action.address for action in own}) > 5, npc
        assert all(a.start < a.end for a in own)
        assert all(a.end <= b.start for a, b in zip(own, own[1:], strict=False)), npc
    assert all(action.address in game.session.world for action in actions)


async def test_the_same_seed_gives_the_same_day(make_host: MakeHost) -> None:
    host = make_host()
    first = await a_day(await play(host, "one"), 15)
    second = await a_day(await play(host, "two"), 15)
    assert first == second


async def test_a_perception_is_on_disk_when_take_returns_and_becomes_a_memory(make_host: MakeHost) -> None:
    game = await play(make_host())
    now = game.session.now
    assert await game.send(sees("is mending the fence", now)) == 1
    await game.tick(now)
    (memory,) = game.session.memories("mara_voss", (MemoryKind.OBSERVATION,), 0, 1)
    assert memory.text == "Tobin Hale is mending the fence"


async def test_events_sent_again_are_not_taken_twice(make_host: MakeHost) -> None:
    game = await play(make_host())
    now = game.session.now
    session = game.session
    await session.take(game.epoch, [(1, sees("is singing", now))])
    assert await session.take(game.epoch, [(1, sees("is singing", now)), (2, sees("is dancing", now))]) == 2
    game.seq = 2
    await game.tick(now)
    texts = [m.text for m in session.memories("mara_voss", (MemoryKind.OBSERVATION,), 0, 10)]
    assert sorted(texts) == ["Tobin Hale is dancing", "Tobin Hale is singing"]


async def test_events_that_no_thought_took_in_are_thought_about_after_a_restart(make_host: MakeHost) -> None:
    host = make_host()
    game = await play(host)
    now, epoch = game.session.now, game.epoch
    await game.send(sees("is singing", now))
    await game.session.suspend()
    again = await host.open_save("one", resume_epoch=epoch)
    assert (again.recovered, again.epoch, again.last_stored_seq) == (True, epoch, 1)
    await Game(again).tick(now)
    assert again.memories("mara_voss", (MemoryKind.OBSERVATION,), 0, 1)[0].text == "Tobin Hale is singing"


async def test_loading_brings_back_the_old_memories_and_raises_the_epoch(make_host: MakeHost) -> None:
    game = await play(make_host())
    session, now = game.session, game.session.now
    await game.tick(now, sees("is singing", now))
    await session.save_game("before")
    await game.tick(now + 60, sees("is confessing a murder", now + 60))
    assert "murder" in session.memories("mara_voss", (MemoryKind.OBSERVATION,), 0, 1)[0].text
    before = session.epoch
    await session.load_game("before")
    assert session.epoch > before
    assert session.memories("mara_voss", (MemoryKind.OBSERVATION,), 0, 5)[0].text == "Tobin Hale is singing"
    assert session.now == now


@pytest.mark.unanswered
async def test_a_thought_in_flight_when_a_save_is_loaded_is_discarded(make_host: MakeHost) -> None:
    engine = ScriptedEngine(lambda request: "10", delay_s=3600)
    game = await play(make_host(engine))
    session, now = game.session, game.session.now
    await session.save_game()
    await session.take(session.epoch, [(1, sees("is confessing a murder", now)), (2, Clock(now, lockstep=True))])
    while not engine.running:
        await asyncio.sleep(0.01)
    await session.load_game()
    await until(lambda: not engine.running)
    assert not session.memories("mara_voss", (MemoryKind.OBSERVATION,), 0, 5)
    assert await session.take(session.epoch - 1, [(3, sees("is late", now))]) == 0


async def test_loading_a_slot_that_is_not_there_leaves_the_play_as_it_was(make_host: MakeHost) -> None:
    game = await play(make_host())
    session, now = game.session, game.session.now
    await game.tick(now, sees("is singing", now))
    with pytest.raises(SaveNotFound):
        await session.load_game("nowhere")
    assert session.memories("mara_voss", (MemoryKind.OBSERVATION,), 0, 5)[0].text == "Tobin Hale is singing"
    await game.tick(now + 60, sees("is eating", now + 60))
    assert session.memories("mara_voss", (MemoryKind.OBSERVATION,), 0, 5)[0].text == "Tobin Hale is eating"


async def test_an_action_that_fails_is_remembered_and_given_up_where_no_other_object_has_it(make_host: MakeHost) -> None:
    game = await play(make_host())
    session = game.session
    (first, *_) = [a for a in await game.tick(session.now) if a.npc == "mara_voss"]
    failed = Outcome("mara_voss", first.id, OutcomeStatus.FAILED, "the door is locked", first.address)
    assert await game.tick(session.now + 60, failed) == []
    memory = session.memories("mara_voss", (MemoryKind.OBSERVATION,), 0, 1)[0]
    assert "because the door is locked" in memory.text
    (second, *_) = [a for a in await game.tick(first.end) if a.npc == "mara_voss"]
    assert second.address != first.address


async def test_who_reaches_nothing_remembers_each_failure_once(make_host: MakeHost) -> None:
    game = await play(make_host())
    session, start = game.session, game.session.now
    for minute in range(0, 240, 5):
        for action in await game.tick(start + minute * 60):
            if action.npc == "mara_voss":
                await game.send(Outcome("mara_voss", action.id, OutcomeStatus.FAILED, "there is no way there", action.address))
    failures = [it.text for it in session.memories("mara_voss", (MemoryKind.OBSERVATION,), 0, 500) if it.topic is MemoryTopic.FAILED]
    assert len(failures) > 3
    assert len(set(failures)) == len(failures)


async def test_an_occupied_bathroom_is_waited_for_and_used_when_it_is_free(make_host: MakeHost) -> None:
    game = await play(make_host())
    toilet = "millbrook:mara_house:bathroom:toilet"
    game.taken = {toilet}
    (waiting, *_) = [a for a in await game.tick(game.session.now) if a.npc == "mara_voss"]
    assert waiting.sentence == "Mara is waiting for the toilet in the bathroom of Mara's house"
    game.taken = set()
    (after, *_) = [a for a in await game.tick(waiting.end) if a.npc == "mara_voss"]
    assert not after.sentence.startswith("Mara is waiting")
    assert after.address.startswith("millbrook:mara_house:bathroom")


async def test_a_report_on_an_earlier_action_is_ignored(make_host: MakeHost) -> None:
    game = await play(make_host())
    (first, *_) = [a for a in await game.tick(game.session.now) if a.npc == "mara_voss"]
    late = Outcome("mara_voss", "mara_voss/999/0", OutcomeStatus.FAILED, "too late", first.address)
    assert not [a for a in await game.tick(game.session.now + 60, late) if a.npc == "mara_voss"]


async def test_an_event_about_somebody_unknown_is_refused_and_the_next_is_taken(make_host: MakeHost) -> None:
    game = await play(make_host())
    now = game.session.now
    await game.tick(now, sees("is here", now, npc="nobody"), ObjectChange(STOVE, "exploded"), sees("is singing", now))
    notices = [event for event in game.told if isinstance(event, Notice)]
    assert [notice.seq for notice in notices] == [1, 2]
    assert "There are: mara_voss" in notices[0].message
    assert "Use one of: off, on, burning" in notices[1].message
    assert game.session.memories("mara_voss", (MemoryKind.OBSERVATION,), 0, 1)


async def test_an_objects_new_state_is_in_the_save(make_host: MakeHost) -> None:
    host = make_host()
    game = await play(host)
    await game.send(ObjectChange(STOVE, "burning"))
    await game.session.close(save=True)
    again = await host.open_save("one")
    assert again.world.node(STOVE).state == "burning"


async def test_closing_without_saving_drops_what_was_not_saved(make_host: MakeHost) -> None:
    host = make_host()
    game = await play(host)
    await game.tick(game.session.now, sees("is singing", game.session.now))
    await game.session.close(save=False)
    again = await host.open_save("one")
    assert not again.memories("mara_voss", (MemoryKind.OBSERVATION,), 0, 5)
    assert not again.recovered


async def test_a_second_stream_ends_the_first_and_hears_what_everybody_is_doing(make_host: MakeHost) -> None:
    game = await play(make_host())
    decided = await game.tick(game.session.now)
    second = game.session.attach()
    with pytest.raises(StreamReplaced):
        async for _ in game.outbox:
            pass
    async for _, batch in second:
        assert batch == decided
        break


async def test_one_save_is_played_once_at_a_time(make_host: MakeHost) -> None:
    host = make_host()
    game = await play(host)
    reading = asyncio.ensure_future(anext(aiter(game.outbox)))
    await asyncio.sleep(0)
    with pytest.raises(SaveInUse):
        await host.open_save("one")
    reading.cancel()


async def test_a_game_that_crashed_opens_its_save_again_and_goes_on(make_host: MakeHost) -> None:
    host = make_host()
    game = await play(host)
    await game.send(sees("is singing", game.session.now))
    again = await host.open_save("one", resume_epoch=game.epoch)
    assert (again.recovered, again.last_stored_seq) == (True, 1)
    with pytest.raises(NoSession):
        host.session(game.session.id)


async def test_a_closed_session_is_unknown(make_host: MakeHost) -> None:
    host = make_host()
    game = await play(host)
    assert host.session(game.session.id) is game.session
    await game.session.close(save=False)
    with pytest.raises(NoSession):
        host.session(game.session.id)


async def test_an_unknown_npc_is_named_with_those_there_are(make_host: MakeHost) -> None:
    game = await play(make_host())
    with pytest.raises(UnknownName, match="There are: mara_voss, tobin_hale, ines_calder"):
        game.session.mind("nobody")


async def test_a_mind_can_be_looked_into(make_host: MakeHost) -> None:
    game = await play(make_host())
    await game.tick(game.session.now)
    state = game.session.mind("mara_voss")
    assert state.name == "Mara Voss"
    assert state.action is not None
    assert dict(state.memories)[MemoryKind.SEED] > 3
    assert state.instinct_answers > 0
    assert {step.level for step in game.session.plan("mara_voss", 0)} == {PlanLevel.DAY, PlanLevel.HOUR, PlanLevel.STEP}
    found = await game.session.search("mara_voss", "Who bakes bread?", 3)
    assert len(found) == 3
    assert found[0].score >= found[1].score


async def test_every_mistake_of_every_file_is_told_at_once(make_host: MakeHost) -> None:
    wrong = [
        Document("a.yaml", "name: A\n"),
        Document("b.yaml", personas()[0].text.replace("mara_house:bedroom:bed", "mara_house:attic:bed")),
    ]
    with pytest.raises(FileProblem) as caught:
        await make_host().create_save("bad", town(), wrong, seed=1, start=0)
    files = {problem.file for problem in caught.value.problems}
    assert "a.yaml" in files
    assert await make_host().list_saves() == []


async def test_a_save_without_people_is_refused(make_host: MakeHost) -> None:
    with pytest.raises(BadInput, match="at least one persona"):
        await make_host().create_save("bad", town(), [], seed=1, start=0)


async def test_everybody_knows_what_the_town_knows_and_members_what_their_faction_knows(make_host: MakeHost) -> None:
    shared = """
knowledge: [The mill was sold in spring]
factions:
  - {id: bakers, name: the bakers' guild, members: [mara_voss], knowledge: [Flour will be dear this year]}
"""
    host = make_host()
    await host.create_save("one", Document("town.yaml", town().text + shared), personas(), seed=7, start=0)
    session = await host.open_save("one")
    known = {npc: [m.text for m in session.memories(npc, (MemoryKind.SEED,), 0, 100)] for npc in PEOPLE}
    assert all("The mill was sold in spring" in texts for texts in known.values())
    assert [npc for npc in PEOPLE if "Flour will be dear this year" in known[npc]] == ["mara_voss"]


def test_a_question_that_there_is_not_cannot_be_left_to_instinct(settings: Settings) -> None:
    mind = settings.mind.model_copy(update={"by_instinct": ("react", "plan_dya")})
    with pytest.raises(UnknownName, match=r"mind\.by_instinct names 'plan_dya'") as caught:
        Host(settings.model_copy(update={"mind": mind}), NoModelEngine("No model in this test."), HashedWordsEmbedder())
    assert "plan_day" in caught.value.fix


async def test_opening_a_save_tries_a_model_again_that_was_given_up(make_host: MakeHost) -> None:
    class Tried(ScriptedEngine):
        times = 0

        def try_again(self) -> None:
            self.times += 1

    engine = Tried({})
    host = make_host(engine)
    await host.create_save("one", town(), personas(), seed=1, start=0)
    assert engine.times == 0
    await host.open_save("one")
    assert engine.times == 1
