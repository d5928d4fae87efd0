"""A thought is whole or nothing: whichever stage breaks, neither the mind nor the save keeps half of it, and nothing is taken in twice."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from dataclasses import fields
from types import ModuleType
from typing import Any

import pytest
from sqlite_utils import Database
from structlog.testing import capture_logs

from npc_server.affordable import commands, policy_learning, social_memory
from npc_server.agent import Agent, Wish
from npc_server.clock import DAY, HOUR, MINUTE
from npc_server.cognition import act, converse, importance, perceive, plan, react, reflect, remember_talk, revise_identity
from npc_server.errors import EngineError, SaveFull
from npc_server.llm.engine import Request
from npc_server.llm.scripted import ScriptedEngine
from npc_server.memory.draft import Draft
from npc_server.mind.mind import LIVED, Mind
from npc_server.mind.parts.copying import copied
from npc_server.records import CallOutcome, GameActionResult, MemoryKind, Notice, Perception, PerceptionKind, TalkWish, Whereabouts
from npc_server.session.host import Host
from npc_server.session.rollback import RETRY_S
from npc_server.session.session import Session
from tests.session.conftest import Game, personas, town

MakeHost = Callable[..., Host]
Logs = list[MutableMapping[str, Any]]
MARA = "mara_voss"
KITCHEN = "millbrook:cafe:kitchen"
SHARED = {"persona", "seed", "settings", "tools", "instinct", "world", "places", "people"}
"""Parts of a mind that no thought changes, or that all minds share."""
IN_ITS_OWN_WAY = {"stream", "knowledge", "budget", "draft"}
FIRE = "The bakery is on fire!"
STAGES: dict[str, tuple[ModuleType, str]] = {
    "perceive": (perceive, "perceive"),
    "react": (react, "react"),
    "learn": (policy_learning, "learn"),
    "revise_identity": (revise_identity, "revise"),
    "plan": (plan, "next_step"),
    "commands": (commands, "next_action"),
    "act": (act, "act"),
    "revise_after_players": (social_memory, "revise_after_players"),
    "importance": (importance, "catch_up"),
    "reflect": (reflect, "reflect"),
    "revise_in_between": (revise_identity, "revise_in_between"),
}


@pytest.fixture(autouse=True)
def logs() -> Iterator[Logs]:
    """Not on the screen: writing what broke there takes longer than thinking it."""
    with capture_logs() as found:
        yield found


def model(request: Request) -> str:
    """Answers what must be answered by a model for every stage to be reached; all else by instinct."""
    if request.stage == "importance":
        return "\n".join("9" for line in request.user.split("\n") if line[:1].isdigit()) or "9"
    if request.stage == "reflect_questions":
        return "What of the mill?\nWhat of the bread?\nWhat of Tobin?"
    return "Mara is worried about the mill | 1" if request.stage == "reflect_insights" else "?"


def breaking(
    patch: pytest.MonkeyPatch, module: ModuleType, name: str, error: Exception | None = None, after: int = 1
) -> list[tuple[object, ...]]:
    """The stage does its work and then breaks, at the so manieth time in Mara's mind. The arguments of those times, as they come."""
    found: list[tuple[object, ...]] = []
    stage: Callable[..., Awaitable[object]] = getattr(module, name)

    async def broken(*given: Any, **named: Any) -> object:
        made = await stage(*given, **named)
        if given[0].npc == MARA:
            found.append(given)
            if len(found) >= after:
                raise error or IndexError(f"a mistake of ours in {name}")
        return made

    patch.setattr(module, name, broken)
    return found


def mind_of(agent: Agent) -> dict[str, object]:
    """All that a thought can change in RAM."""
    mind = agent.mind
    found: dict[str, object] = {name: copied(getattr(mind, name)) for name in LIVED}
    memories = mind.stream.latest(len(mind.stream))
    found["stream"] = [*memories, mind.stream.without_vector(), mind.stream.latest_vectors(1000)[1].tobytes()]
    found["knowledge"] = list(mind.knowledge)
    found["budget"] = (mind.budget.near, mind.budget.left)
    return found | {"agent": (agent.doing, agent.wish, list(agent.decided), list(agent.outgoing))}


async def save_of(session: Session) -> dict[str, list[tuple[object, ...]]]:
    """All that a thought can change on disk, but for the ledger and for which events were taken in."""

    def read(db: Database) -> dict[str, list[tuple[object, ...]]]:
        tables = ("people", "memories", "vectors", "evidence", "plan_steps", "actions", "known", "policies", "social")
        return {table: db.execute(f"SELECT * FROM {table} ORDER BY 1, 2, 3").fetchall() for table in tables}

    return await session._store.do(read)


async def ledger(session: Session) -> list[tuple[str, str]]:
    return await session._store.do(lambda db: db.execute("SELECT stage, outcome FROM calls WHERE npc = ?", (MARA,)).fetchall())


async def waiting(session: Session) -> int:
    """How many of the game's events are still to be taken in, by the save, but for what became of its body."""
    query = "SELECT count(*) FROM inbox WHERE done = 0 AND kind != 'outcome'"
    return await session._store.do(lambda db: int(db.execute(query).fetchone()[0]))


def remembered(session: Session, npc: str = MARA) -> list[str]:
    return [memory.text for memory in session.memories(npc, (MemoryKind.OBSERVATION,), 0, 1000)]


def broken(game: Game) -> list[Notice]:
    return [it for it in game.told if isinstance(it, Notice) and it.reason == "THOUGHT_BROKE"]


async def next_morning(host: Host) -> Game:
    """Mara alone, before the first thought of a new day, with a day behind her and enough on her mind to reflect."""
    await host.create_save("one", town(), [it for it in personas() if MARA in it.name], seed=7, start=0)
    game = Game(await host.open_save("one"))
    for hour in (0, 3, 6):
        await game.tick(game.session.now + hour * HOUR)
    agent = game.session.agent(MARA)
    agent.mind.reflecting.importance_since = agent.mind.settings.reflection_threshold
    agent.mind.reflecting.unrated = ["nothing of this"] * importance.AT_ONCE
    agent.mind.relationships.talk_wanted = {"tobin_hale": TalkWish("tobin_hale", "the mill", 1)}
    agent.decided = ["Mara is baking bread"]
    agent.keep()
    await game.session._thinking._write(agent)
    return game


def news(game: Game) -> tuple[Perception, Whereabouts, GameActionResult]:
    now = game.session.now
    return (
        Perception(MARA, PerceptionKind.EVENT, "", FIRE, "millbrook", 1.0, now),
        Whereabouts(MARA, KITCHEN, 1.0),
        GameActionResult(MARA, "mara_voss/ring_bell/1", True, ""),
    )


def test_every_part_of_a_mind_is_put_back_or_shared() -> None:
    """Whoever adds one says which: in `npc_server.mind.mind` or here."""
    assert sorted(it.name for it in fields(Mind)) == sorted({*LIVED, *SHARED, *IN_ITS_OWN_WAY})


@pytest.mark.parametrize("name", STAGES)
async def test_a_thought_that_breaks_leaves_nothing_and_is_thought_once_more(
    make_host: MakeHost, monkeypatch: pytest.MonkeyPatch, logs: Logs, name: str
) -> None:
    host = make_host(ScriptedEngine(model))
    game = await next_morning(host)
    session = game.session
    agent = session.agent(MARA)
    before, kept, calls, at = mind_of(agent), await save_of(session), await ledger(session), session.now + DAY
    with monkeypatch.context() as patch:
        found = breaking(patch, *STAGES[name])
        assert await game.tick(at, *news(game)) == []
        assert len(found) == 1, "the stage was not reached, or more than once"
    assert mind_of(agent) == before
    assert await save_of(session) == kept
    assert agent.mind.draft == Draft()
    assert len(broken(game)) == 1
    assert [(it["event"], it["npc"]) for it in logs if it["log_level"] == "error"] == [("thought_broke", MARA)]
    spent = (await ledger(session))[len(calls) :]
    assert len(spent) >= 1
    assert not [it for it in spent if it[1] == CallOutcome.USED.value], "nothing came of these answers"
    assert await game.tick(at + RETRY_S - 1) == [], "not at once again"
    decided = await game.tick(at + RETRY_S)
    assert len(decided) == 1
    assert [text for text in remembered(session) if text == FIRE] == [FIRE]
    assert agent.doing.address == KITCHEN
    assert await waiting(session) == 0
    thought = remembered(session)
    await session.close(save=True)
    again = Game(await host.open_save("one"))
    await again.tick(again.session.now + MINUTE)
    assert remembered(again.session) == thought


@pytest.mark.parametrize("name", ["perceive", "act", "reflect"])
async def test_what_breaks_every_thought_about_it_counts_as_taken_in_after_the_second(
    make_host: MakeHost, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    host = make_host(ScriptedEngine(model))
    game = await next_morning(host)
    session = game.session
    agent = session.agent(MARA)
    before, kept, at = mind_of(agent), await save_of(session), session.now + DAY
    with monkeypatch.context() as patch:
        breaking(patch, *STAGES[name])
        await game.tick(at, *news(game))
        assert await waiting(session) == 3
        await game.tick(at + RETRY_S)
        assert len(broken(game)) == 2
        assert await waiting(session) == 0
    assert (mind_of(agent), await save_of(session)) == (before, kept)
    assert agent.mailbox == []
    assert await game.tick(at + 2 * RETRY_S)
    assert FIRE not in remembered(session)
    await session.close(save=True)
    again = Game(await host.open_save("one"))
    await again.tick(again.session.now + MINUTE)
    assert FIRE not in remembered(again.session)


async def test_a_save_that_is_opened_after_a_thought_broke_has_it_thought_whole(
    make_host: MakeHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = make_host()
    game = await next_morning(host)
    with monkeypatch.context() as patch:
        breaking(patch, *STAGES["plan"])
        await game.tick(game.session.now + DAY, *news(game))
    await game.session.close(save=True)
    again = Game(await host.open_save("one"))
    await again.tick(again.session.now + 10 * RETRY_S)
    assert [text for text in remembered(again.session) if text == FIRE or "did this" in text] == ["Mara did this: something.", FIRE][::-1]


async def test_what_came_after_a_thought_that_broke_is_not_lost_with_it(make_host: MakeHost, monkeypatch: pytest.MonkeyPatch) -> None:
    game = await next_morning(make_host())
    session, at = game.session, game.session.now + DAY
    later = Perception(MARA, PerceptionKind.EVENT, "", "A bell rings", "millbrook", 1.0, at)
    with monkeypatch.context() as patch:
        breaking(patch, *STAGES["react"])
        await game.tick(at, *news(game))
        await game.tick(at + RETRY_S, later)
    await game.tick(at + 2 * RETRY_S)
    assert "A bell rings" in remembered(session)
    assert FIRE not in remembered(session)


async def test_a_tool_that_fails_a_stage_breaks_the_thought_like_a_mistake(make_host: MakeHost, monkeypatch: pytest.MonkeyPatch) -> None:
    game = await next_morning(make_host())
    session, agent = game.session, game.session.agent(MARA)
    before, kept = mind_of(agent), await save_of(session)
    with monkeypatch.context() as patch:
        breaking(patch, *STAGES["act"], error=EngineError("The embedding model is gone.", "Wait."))
        await game.tick(session.now + DAY, *news(game))
    assert (mind_of(agent), await save_of(session)) == (before, kept)
    notices = [it for it in game.told if isinstance(it, Notice)]
    assert [it.reason for it in notices] == [EngineError.reason]


async def test_what_cannot_be_stored_at_all_is_as_if_it_was_never_thought(make_host: MakeHost, monkeypatch: pytest.MonkeyPatch) -> None:
    game = await next_morning(make_host())
    session, agent = game.session, game.session.agent(MARA)
    before, kept = mind_of(agent), await save_of(session)
    write = Draft.write

    def fails(draft: Draft, *given: Any, **named: Any) -> None:
        write(draft, *given, **named)
        if draft.state is not None:
            raise ValueError("cannot be encoded")

    with monkeypatch.context() as patch:
        patch.setattr(Draft, "write", fails)
        await game.tick(session.now + DAY, *news(game))
        assert (mind_of(agent), await save_of(session)) == (before, kept)
        assert len(broken(game)) == 1
    assert await game.tick(session.now + RETRY_S)
    assert remembered(session).count(FIRE) == 1


async def test_a_whole_thought_that_finds_no_room_is_written_with_the_next(make_host: MakeHost, monkeypatch: pytest.MonkeyPatch) -> None:
    game = await next_morning(make_host())
    session, agent = game.session, game.session.agent(MARA)
    kept, at = await save_of(session), session.now + DAY

    def full(draft: Draft, *given: Any, **named: Any) -> None:
        raise SaveFull("The disk is full.", "Make room.")

    with monkeypatch.context() as patch:
        patch.setattr(Draft, "write", full)
        await game.tick(at, *news(game))
    assert await save_of(session) == kept
    assert remembered(session).count(FIRE) == 1, "it was thought, and waits"
    with monkeypatch.context() as patch:
        breaking(patch, *STAGES["perceive"])
        thought = mind_of(agent)
        await game.tick(at + RETRY_S, Perception(MARA, PerceptionKind.EVENT, "", "A bell rings", "millbrook", 1.0, at))
        assert mind_of(agent) == thought | {"agent": mind_of(agent)["agent"]}, "what broke takes nothing whole with it"
    await game.tick(at + 2 * RETRY_S)
    assert [remembered(session).count(text) for text in (FIRE, "A bell rings")] == [1, 1]
    assert await waiting(session) == 0


@pytest.mark.parametrize(("stage", "name"), [(converse, "say"), (remember_talk, "remember")])
@pytest.mark.parametrize("after", [1, 2])
async def test_a_talk_that_breaks_leaves_whole_minds_that_are_free(
    make_host: MakeHost, monkeypatch: pytest.MonkeyPatch, stage: ModuleType, name: str, after: int
) -> None:
    host = make_host()
    await host.create_save("one", town(), personas(), seed=7, start=0)
    game = Game(await host.open_save("one"))
    session = game.session
    await game.tick(session.now + 4 * HOUR)
    mara, tobin = session.agent(MARA), session.agent("tobin_hale")
    for agent in (mara, tobin):
        await game.send(Whereabouts(agent.npc, "millbrook:lane:square", 1.0))
    await game.tick(session.now + MINUTE)
    before = mind_of(mara)
    tobin.wish = Wish(MARA, "the mill")
    with monkeypatch.context() as patch:
        found = breaking(patch, stage, name, after=after if name == "say" else 1)
        await game.tick(session.now + 1)
        assert found
    assert len(broken(game)) == 1
    assert not mara.doing.talk
    assert not tobin.doing.talk
    after_it = mind_of(mara)
    for part in ("stream", "relationships", "reflecting", "knowledge", "tally"):
        assert after_it[part] == before[part], part
    assert mara.doing.talked == ()
    await game.tick(session.now + MINUTE)
    lived = {npc: (session.agent(npc).doing, session.memories(npc, (), 0, 1000)) for npc in session.npc_ids}
    await session.close(save=True)
    again = await host.open_save("one")
    assert {npc: (again.agent(npc).doing, again.memories(npc, (), 0, 1000)) for npc in again.npc_ids} == lived
