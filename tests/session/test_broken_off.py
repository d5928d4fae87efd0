"""Whatever ends a line to an NPC before it is answered: the NPC is free again, neither line is kept, and somebody is told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import TypeVar

import pytest
from sqlite_utils import Database

from npc_server.clock import MINUTE
from npc_server.config import Settings
from npc_server.errors import GameLoaded, NoSession, NpcServerError, SaveFull
from npc_server.llm.embed import HashedWordsEmbedder
from npc_server.llm.engine import Vectors
from npc_server.llm.no_model import NoModelEngine
from npc_server.memory.store import Store
from npc_server.mind import appointments
from npc_server.records import Memory, Notice, Perception, PerceptionKind, Social, Speech
from npc_server.session.dialogue import AnsweredLine
from npc_server.session.host import Host
from npc_server.session.session import Session
from tests.session.conftest import Game, personas, town
from tests.waiting import LIMIT_S

MARA = "mara_voss"
INVITATION = "Come to my party at the Kettle Café on Tuesday 5 May at 17:00!"
"""Far more than anything here takes."""
T = TypeVar("T")


class Gate(HashedWordsEmbedder):
    """Stops, or breaks, where the answer to a line waits for the so manieth time since it was armed: for the embedder, or for the disk."""

    def __init__(self) -> None:
        self.left = 0
        self.breaks = False
        self.reached, self.released = asyncio.Event(), asyncio.Event()

    def arm(self, number: int, *, breaks: bool = False) -> None:
        self.left, self.breaks = number, breaks
        self.reached.clear()
        self.released.clear()

    async def wait(self) -> None:
        self.left -= 1
        if self.left == 0:
            self.reached.set()
            if self.breaks:
                raise IndexError("a mistake of ours")
            await self.released.wait()

    async def embed(self, texts: Sequence[str]) -> Vectors:
        await self.wait()
        return await super().embed(texts)

    def watch(self, store: Store) -> None:
        """From now on the disk waits here, too."""
        do = store.do

        async def slowly(fn: Callable[[Database], T]) -> T:
            await self.wait()
            return await do(fn)

        store.do = slowly  # type: ignore[method-assign]


@pytest.fixture
async def gate() -> Gate:
    return Gate()


@pytest.fixture
async def host(settings: Settings, gate: Gate) -> AsyncIterator[Host]:
    made = Host(settings, NoModelEngine("No model in this test."), gate)
    yield made
    await made.close()


@pytest.fixture
async def game(host: Host, gate: Gate) -> Game:
    await host.create_save("one", town(), personas(), seed=7, start=0)
    found = Game(await host.open_save("one"))
    await found.tick(found.session.now)
    gate.watch(found.session._store)
    return found


def silent(text: str) -> None:
    pass


def kept(session: Session) -> tuple[object, ...]:
    """All of Mara that a line can change."""
    agent = session.agent(MARA)
    mind = agent.mind
    memories = [(memory.id, memory.text) for memory in session.memories(MARA, (), 0, 1000)]
    return (
        memories,
        mind.reflecting.importance_since,
        mind.identity.currently,
        appointments.coming(mind, session.now),
        agent.doing.told,
        agent.doing.exchanges,
    )


async def broken_off(
    gate: Gate, number: int, speaking: Awaitable[T], ends: Callable[[asyncio.Future[T], asyncio.Event], Awaitable[None]]
) -> T | None:
    """Ends a line where it waits for the so manieth time; what was answered, where it came to its end before that."""
    gate.arm(number)
    task = asyncio.ensure_future(speaking)
    reached = asyncio.ensure_future(gate.reached.wait())
    await asyncio.wait({task, reached}, return_when=asyncio.FIRST_COMPLETED, timeout=LIMIT_S)
    reached.cancel()
    if task.done():
        gate.arm(0)
        return task.result()
    await asyncio.wait_for(ends(task, gate.released), LIMIT_S)
    return None


async def hang_up(task: asyncio.Future[T], released: asyncio.Event) -> None:
    task.cancel()
    await asyncio.wait({task}, timeout=0.01)  # a write on its way to the disk comes to its end first
    released.set()
    await asyncio.wait({task})


async def test_who_is_hung_up_on_is_free_at_once_and_remembers_neither_line_wherever_it_was(host: Host, game: Game, gate: Gate) -> None:
    session = game.session
    await session.say(MARA, "Ann", "Hello, Mara.", silent)
    before, number = kept(session), 0
    while True:
        number += 1
        spoken = await broken_off(gate, number, session.say(MARA, "Ann", f"The bread is number {number}. {INVITATION}", silent), hang_up)
        if spoken is not None:
            break
        assert not session.agent(MARA).doing.talk, number
        assert kept(session) == before, number
    assert number > 3, "there was nothing to break off"
    assert not session.agent(MARA).doing.talk
    assert kept(session) != before
    await session.undo(MARA, "Ann")
    assert [exchange.speaker for exchange in session.agent(MARA).doing.exchanges] == ["Ann"]
    told = kept(session)
    await session.close(save=True)
    again = await host.open_save("one")
    assert kept(again)[0] == told[0]  # nor does the save


async def test_the_wish_to_plan_the_day_again_goes_with_the_line_it_came_from(game: Game, gate: Gate) -> None:
    session = game.session
    mind = session.agent(MARA).mind
    mind.relationships.social["Ann"] = Social(MARA, "Ann", "friend", "", "", appointments.CLOSE_ENOUGH, 0, session.now)
    today, number = "Come to my party at the Kettle Café on Monday 4 May at 17:00!", 0
    while True:
        number += 1
        feeling = mind.feelings.mood
        if await broken_off(gate, number, session.say(MARA, "Ann", today, silent), hang_up) is not None:
            break
        assert (mind.plan.again, mind.feelings.mood, appointments.coming(mind, session.now)) == ("", feeling, []), number
    assert "party" in mind.plan.again
    await session.undo(MARA, "Ann")
    assert (mind.plan.again, appointments.coming(mind, session.now)) == ("", [])


async def test_who_was_hung_up_on_hears_the_next_call_for_help(game: Game, gate: Gate) -> None:
    session = game.session
    await broken_off(gate, 2, session.say(MARA, "Ann", "How is the bread?", silent), hang_up)
    fire = Perception(MARA, PerceptionKind.EVENT, "", "The bakery is on fire!", "millbrook", 1.0, session.now)
    await game.tick(session.now + MINUTE, fire)
    assert not session.agent(MARA)._rests(session.now)
    action = session.mind(MARA).action
    assert action is not None
    assert "talking" not in action.sentence


async def test_the_game_is_told_of_a_line_that_was_broken_off_and_hears_no_answer_to_it(game: Game, gate: Gate) -> None:
    await broken_off(gate, 3, game.session.say(MARA, "Ann", "How is the bread?", silent), hang_up)
    await game.tick(game.session.now + MINUTE)
    (notice,) = [event for event in game.told if isinstance(event, Notice)]
    assert notice.reason == "LINE_BROKEN_OFF"
    assert "Ann" in notice.message
    assert "Mara Voss" in notice.message
    assert not [event for event in game.told if isinstance(event, Speech)]


async def test_a_mistake_of_ours_in_any_stage_of_an_answer_leaves_the_person_free(game: Game, gate: Gate) -> None:
    session = game.session
    before, number = kept(session), 0
    while True:
        number += 1
        gate.arm(number, breaks=True)
        try:
            await session.say(MARA, "Ann", f"The bread is number {number}. {INVITATION}", silent)
        except IndexError:
            assert not session.agent(MARA).doing.talk, number
            assert kept(session) == before, number
        else:
            break
    gate.arm(0)
    assert number > 3


async def test_a_full_disk_leaves_nothing_of_the_line_it_could_not_store(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    session = game.session
    before, written = kept(session), 0
    do = session._store.do

    async def full(job: Callable[..., T]) -> T:
        nonlocal written
        written += 1
        if written == 2:  # the first is that she turns to Ann
            raise SaveFull("The disk is full.", "Make room.")
        return await do(job)

    monkeypatch.setattr(session._store, "do", full)
    with pytest.raises(SaveFull):
        await session.say(MARA, "Ann", "How is the bread?", silent)
    assert not session.agent(MARA).doing.talk
    assert kept(session) == before
    assert "bread" in (await answered(session, "Ann", "I said: how is the bread?"))[0].text


async def answered(session: Session, speaker: str, text: str) -> list[Memory]:
    await session.say(MARA, speaker, text, silent)
    return [memory for memory in session.memories(MARA, (), 0, 3) if text in memory.text]


async def test_a_whisper_that_is_broken_off_is_no_intention(game: Game, gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    session = game.session
    before = kept(session)
    await broken_off(
        gate, 1, session.whisper(MARA, "I want to give a party at the Kettle Café on Thursday 7 May from 17:00 to 19:00."), hang_up
    )
    assert kept(session) == before

    async def full(job: Callable[..., T]) -> T:
        raise SaveFull("The disk is full.", "Make room.")

    with monkeypatch.context() as patched:
        patched.setattr(session._store, "do", full)
        with pytest.raises(SaveFull):
            await session.whisper(MARA, "I want to give a party at the Kettle Café on Thursday 7 May from 17:00 to 19:00.")
    assert kept(session) == before


async def load(session: Session) -> None:
    await session.load_game()


async def close(session: Session) -> None:
    await session.close(save=True)


async def suspend(session: Session) -> None:
    await session.suspend()


@pytest.mark.parametrize("ends", [load, close, suspend], ids=["LoadGame", "CloseSave", "the server stops"])
async def test_who_waits_for_an_answer_is_told_that_the_save_is_gone_and_its_next_player_finds_nothing_half_said(
    host: Host, game: Game, gate: Gate, ends: Callable[[Session], Awaitable[None]]
) -> None:
    session = game.session
    await session.save_game()
    before = kept(session)[0]
    failed: list[NpcServerError] = []

    async def end(task: asyncio.Future[AnsweredLine], released: asyncio.Event) -> None:
        await ends(session)
        with pytest.raises(GameLoaded if ends is load else NoSession, match="the request was dropped") as error:
            await asyncio.wait_for(task, LIMIT_S)
        failed.append(error.value)

    assert await broken_off(gate, 3, session.say(MARA, "Ann", "How is the bread?", silent), end) is None
    assert failed
    again = session if ends is load else await host.open_save("one")
    assert not again.agent(MARA).doing.talk
    assert kept(again)[0] == before
    assert (await again.say(MARA, "Ann", "How is the bread?", silent)).text


async def test_who_waits_for_somebodys_attention_is_told_when_the_save_is_closed(game: Game, gate: Gate) -> None:
    session = game.session
    gate.arm(3)
    first = asyncio.ensure_future(session.say(MARA, "Ann", "How is the bread?", silent))
    await asyncio.wait_for(gate.reached.wait(), LIMIT_S)
    second = asyncio.ensure_future(session.say(MARA, "Ben", "And the cheese?", silent))
    await asyncio.sleep(0)
    await session.close(save=False)
    for task in (first, second):
        with pytest.raises(NoSession):
            await asyncio.wait_for(task, LIMIT_S)
