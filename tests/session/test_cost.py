"""The ledger and the budget over a session's life: closing, restarting, loading, talking, players."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from npc_eval.stand_in import StandIn
from npc_server.clock import DAY, HOUR, MINUTE
from npc_server.config import Settings
from npc_server.llm.embed import HashedWordsEmbedder
from npc_server.llm.engine import Completion, OnText, Priority, Request
from npc_server.llm.scripted import ScriptedEngine
from npc_server.memory import ledger
from npc_server.memory.database import reading
from npc_server.memory.ledger import BUDGET_SPENT, Spent
from npc_server.records import Action, CallOutcome, Line, Talk, Whereabouts
from npc_server.session import talks
from npc_server.session.host import Host
from npc_server.session.session import Session
from tests.session.conftest import PEOPLE, Game, personas, town
from tests.waiting import until

MakeHost = Callable[..., Host]


class Watched(StandIn):
    """Keeps what it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.requests: list[Request] = []

    async def complete(self, request: Request, on_text: OnText | None = None) -> Completion:
        self.requests.append(request)
        return await super().complete(request, on_text)


def rows(settings: Settings, slot: str = "one") -> list[Spent]:
    with reading(settings.save.folder / f"{slot}.npcsave") as db:
        return ledger.spent(db)


def budget(settings: Settings, tokens: int) -> Settings:
    return settings.model_copy(update={"mind": settings.mind.model_copy(update={"tokens_per_game_hour": tokens})})


async def play(host: Host, slot: str = "one") -> Game:
    await host.create_save(slot, town(), personas(), seed=7, start=0)
    return Game(await host.open_save(slot))


async def a_thought_in_flight(game: Game, is_in_flight: Callable[[], object]) -> None:
    """The game answers path queries until then."""
    ticking = asyncio.create_task(game.tick(game.session.now))
    await until(is_in_flight)
    ticking.cancel()
    await asyncio.gather(ticking, return_exceptions=True)


@pytest.mark.parametrize("restarted", [False, True])
async def test_what_a_thought_cost_that_the_closing_cut_off_stays_in_the_ledger(
    make_host: MakeHost, settings: Settings, restarted: bool
) -> None:
    engine = ScriptedEngine(lambda request: "nothing that parses", delay_s=3600)
    host = make_host(engine)
    game = await play(host)
    await a_thought_in_flight(game, lambda: engine.running)
    if restarted:
        await game.session.suspend()
        game = Game(await host.open_save("one", resume_epoch=game.epoch))
    await game.session.close(save=True)
    found = rows(settings)
    assert CallOutcome.CANCELLED in {row.outcome for row in found}
    assert all(row.prompt_tokens > 0 for row in found if row.outcome is CallOutcome.CANCELLED)


@pytest.mark.unanswered
async def test_answers_for_a_thought_that_was_dropped_count_as_cancelled(make_host: MakeHost, settings: Settings) -> None:
    class Slow(StandIn):
        asked = 0

        async def complete(self, request: Request, on_text: OnText | None = None) -> Completion:
            self.asked += 1
            if self.asked > 1:
                await asyncio.Event().wait()
            return await super().complete(request, on_text)

    engine = Slow()
    game = await play(make_host(engine))
    await a_thought_in_flight(game, lambda: engine.asked > 1)
    await game.session.close(save=True)
    found = rows(settings)
    assert sum(row.calls for row in found) > 1
    assert {row.outcome for row in found} == {CallOutcome.CANCELLED}


async def test_a_loaded_save_knows_nothing_of_what_was_asked_since(make_host: MakeHost, settings: Settings) -> None:
    engine = ScriptedEngine(lambda request: "nothing that parses", delay_s=3600)
    game = await play(make_host(engine))
    await game.session.save_game()
    await a_thought_in_flight(game, lambda: engine.running)
    await game.session.load_game()
    await game.session.close(save=True)
    assert rows(settings) == []


async def test_a_draft_that_was_on_its_way_to_the_disk_is_not_written_twice(make_host: MakeHost, settings: Settings) -> None:
    """A player who leaves cancels what was begun for them; the next thing the NPC does must be stored all the same."""
    game = await play(make_host(Watched()))
    await game.tick(game.session.now)
    store, mind = game.session._store, game.session.agent("mara_voss").mind
    held = asyncio.Event()
    usual = store.do

    async def slow(job: Callable[..., object]) -> object:
        done = await usual(job)
        held.set()
        await asyncio.sleep(0.05)
        return done

    store.do = slow  # type: ignore[method-assign, assignment]
    said = asyncio.create_task(game.session.say("mara_voss", "Ada", "The mill has burnt down.", lambda text: None))
    await held.wait()
    said.cancel()
    await asyncio.gather(said, return_exceptions=True)
    store.do = usual  # type: ignore[method-assign]
    assert not mind.draft.actions
    await game.session.say("mara_voss", "Ada", "Did you hear me?", lambda text: None)
    await game.session.close(save=True)


async def test_an_interview_is_in_no_ledger(make_host: MakeHost, settings: Settings) -> None:
    engine = Watched()
    game = await play(make_host(engine))
    await game.session.interview("mara_voss", "Who are you?", lambda text: None)
    assert [request.priority for request in engine.requests] == [Priority.PLAYER]
    await game.session.close(save=True)
    assert rows(settings) == []


async def test_a_player_goes_first_with_all_that_is_asked_for_the_answer(make_host: MakeHost) -> None:
    engine = Watched()
    game = await play(make_host(engine))
    await game.tick(game.session.now)
    before = len(engine.requests)
    await game.session.say("mara_voss", "Ada", "The mill has burnt down, and two people died.", lambda text: None)
    asked = engine.requests[before:]
    assert "say" in {request.stage for request in asked}
    assert {request.priority for request in asked} == {Priority.PLAYER}
    await game.tick(game.session.now + HOUR)
    assert engine.requests[-1].priority > Priority.PLAYER


async def test_people_in_conversation_go_before_others(make_host: MakeHost) -> None:
    engine = Watched()
    game = await play(make_host(engine))
    mara, tobin = (game.session.agent(npc) for npc in ("mara_voss", "tobin_hale"))
    thinking = game.session._thinking
    thinking._context.busy.update(("mara_voss", "tobin_hale"))
    await thinking._talk(talks.Meeting((mara, tobin), {"mara_voss": "the mill"}), lockstep=False)
    stages = {request.stage for request in engine.requests}
    assert {"say", "talk_over"} <= stages
    assert {request.priority for request in engine.requests} == {Priority.NEAR}
    assert (mara.mind.budget.priority, tobin.mind.budget.priority) == (Priority.USUAL, Priority.USUAL)


async def a_day(session: Session, game: Game, until: int = DAY) -> list[Action]:
    start = session.now
    return [action for at in range(start, start + until, 10 * MINUTE) for action in await game.tick(at)]


async def test_far_people_keep_to_the_budget_and_who_is_near_a_player_may_always_ask(settings: Settings, tmp_path: Path) -> None:
    tight = budget(settings, 600)
    host = Host(tight, Watched(), HashedWordsEmbedder())
    game = await play(host)
    now = game.session.now
    await game.send(Whereabouts("ines_calder", game.session.agent("ines_calder").doing.address, 3.0))
    await a_day(game.session, game)
    await game.session.close(save=True)
    await host.close()
    found = rows(tight)
    refused = {row.npc for row in found if row.why == BUDGET_SPENT}
    assert refused == {"mara_voss", "tobin_hale"}
    assert all(row.prompt_tokens == row.reply_tokens == 0 for row in found if row.why == BUDGET_SPENT)
    hours = (max(row.hour for row in found) - now) // HOUR + 1
    for npc in refused:
        spent = sum(row.prompt_tokens - row.cached_tokens + row.reply_tokens for row in found if row.npc == npc)
        assert 0 < spent < 200 * (hours + tight.mind.tokens_kept_hours) + tight.mind.prompt_tokens, npc
    asked = {npc: sum(row.asked for row in found if row.npc == npc) for npc in PEOPLE}
    assert asked["ines_calder"] > max(asked[npc] for npc in refused)


async def test_a_spent_share_stays_spent_over_a_restart_and_comes_back_with_an_older_save(settings: Settings) -> None:
    host = Host(budget(settings, 300), Watched(), HashedWordsEmbedder())
    game = await play(host)
    await game.session.save_game("before")
    await game.tick(game.session.now)
    before = {npc: game.session.agent(npc).mind.budget.left for npc in PEOPLE}
    assert any(left is not None and left.tokens <= 0 for left in before.values())
    await game.session.suspend()
    again = await host.open_save("one", resume_epoch=game.epoch)
    assert {npc: again.agent(npc).mind.budget.left for npc in PEOPLE} == before
    await again.load_game("before")
    assert {again.agent(npc).mind.budget.left for npc in PEOPLE} == {None}
    await host.close()


async def test_the_same_seed_and_budget_give_the_same_day(settings: Settings, tmp_path: Path) -> None:
    days = []
    for name in ("a", "b"):
        folder = settings.model_copy(update={"save": settings.save.model_copy(update={"folder": tmp_path / name})})
        host = Host(budget(folder, 900), Watched(), HashedWordsEmbedder())
        game = await play(host)
        days.append((await a_day(game.session, game, DAY // 2), [c for c in game.told if not isinstance(c, Talk | Line)]))
        await host.close()
    assert days[0] == days[1]
