"""A player's line breaks off what the NPC thinks, and ends what it talks about with other NPCs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import pytest
from sqlite_utils import Database

from npc_server.clock import HOUR, MINUTE
from npc_server.llm.engine import Completion, OnText, Request
from npc_server.llm.scripted import ScriptedEngine
from npc_server.mind import appointments
from npc_server.records import Clock, MemoryKind, Notice, Perception, PerceptionKind, Speech, Whereabouts
from npc_server.session.host import Host
from tests.session.conftest import Game, personas, town
from tests.waiting import LIMIT_S, until

MARA, TOBIN, SQUARE = "mara_voss", "tobin_hale", "millbrook:lane:square"
LINES = {MARA: "Well, Ada.", TOBIN: "The mill is sold!", "ines_calder": "Hm."}
T = TypeVar("T")
ANSWERS = {"listen": "yes", "react": "reaction: talk\nminutes: 5\nwhat: the broken chair", "importance": "4"}


class Slow(ScriptedEngine):
    """Never answers the questions that it is told to hold."""

    def __init__(self) -> None:
        super().__init__(lambda request: ANSWERS.get(request.stage, f"say: {LINES[request.npc]}\nthen: go on"))
        self.holds: Callable[[Request], bool] = lambda request: False
        self.reached = asyncio.Event()
        self.first = ""
        """What is written of a question before it is held."""

    async def complete(self, request: Request, on_text: OnText | None = None) -> Completion:
        if self.holds(request):
            if on_text is not None:
                on_text(self.first)
            self.reached.set()
            await asyncio.Event().wait()
        return await super().complete(request, on_text)


@pytest.fixture
async def engine() -> Slow:
    return Slow()


async def playing(make_host: Callable[..., Host], engine: Slow) -> Game:
    host = make_host(engine)
    await host.create_save("one", town(), personas(), seed=7, start=0)
    game = Game(await host.open_save("one"))
    noon = game.session.now + 6 * HOUR
    await game.tick(noon, Whereabouts(MARA, SQUARE), Whereabouts(TOBIN, SQUARE))
    await game.send(Clock(noon + MINUTE, lockstep=False))
    return game


def silent(text: str) -> None:
    pass


def sees_tobin(game: Game) -> Perception:
    return Perception(MARA, PerceptionKind.PERSON, TOBIN, "is sitting on a broken chair", SQUARE, 2.0, game.session.now)


async def test_a_line_breaks_off_a_thought_which_comes_again(make_host: Callable[..., Host], engine: Slow) -> None:
    game = await playing(make_host, engine)
    engine.holds = lambda request: request.stage == "react"
    await game.send(sees_tobin(game))
    await asyncio.wait_for(engine.reached.wait(), LIMIT_S)
    answer = await asyncio.wait_for(game.session.say(MARA, "Ada", "Good morning!", silent), LIMIT_S)
    assert answer.text == "Well, Ada."
    seen = "Tobin Hale is sitting on a broken chair"
    agent = game.session.agent(MARA)
    assert [event for _, event in agent.mailbox] == [sees_tobin(game)], "what the thought was about is thought of again"
    assert seen not in [memory.text for memory in game.session.memories(MARA, (), 0, 50)]
    engine.holds = lambda request: False
    await game.send(Clock(game.session.now + MINUTE, lockstep=False))
    for _ in range(400):
        if seen in [memory.text for memory in game.session.memories(MARA, (), 0, 50)]:
            break
        await asyncio.sleep(0.01)
    assert seen in [memory.text for memory in game.session.memories(MARA, (), 0, 50)]
    assert not [event for event in game.told if isinstance(event, Notice)]


async def test_a_line_is_answered_before_what_came_in_while_a_thought_was_stored(make_host: Callable[..., Host], engine: Slow) -> None:
    game = await playing(make_host, engine)
    session, writing, written = game.session, asyncio.Event(), asyncio.Event()
    do = session._store.do

    async def slowly(fn: Callable[[Database], T]) -> T:
        if getattr(fn, "keywords", {}).get("npc") == MARA:  # her thought is on its way to the disk, and nothing breaks it off
            writing.set()
            await written.wait()
        return await do(fn)

    session._store.do = slowly  # type: ignore[method-assign]
    await game.send(sees_tobin(game))
    await asyncio.wait_for(writing.wait(), LIMIT_S)
    line = asyncio.create_task(session.say(MARA, "Ada", "Good morning!", silent))
    await until(lambda: session._thinking._awaited[MARA])
    engine.holds = lambda request: request.stage == "react"  # the next thought would never end
    await game.send(replace(sees_tobin(game), text="is shouting"))
    written.set()
    assert (await asyncio.wait_for(line, LIMIT_S)).text == "Well, Ada."
    assert "is shouting" in [event.text for _, event in session.agent(MARA).mailbox if isinstance(event, Perception)]


async def test_a_line_ends_a_talk_with_another_and_both_remember_it(make_host: Callable[..., Host], engine: Slow) -> None:
    game = await playing(make_host, engine)
    engine.holds = lambda request: request.stage == "say" and "Tobin Hale: The mill is sold!" in request.user
    engine.first = "agrees: no\nsay: I never liked that mi"
    await game.send(sees_tobin(game))
    await asyncio.wait_for(engine.reached.wait(), LIMIT_S)
    assert game.session.agent(MARA).doing.talk
    answer = await asyncio.wait_for(game.session.say(MARA, "Ada", "Good morning!", silent), LIMIT_S)
    assert answer.text == "Well, Ada."
    agents = [game.session.agent(npc) for npc in (MARA, TOBIN)]
    for _ in range(400):
        if not agents[1].doing.talk:
            break
        await asyncio.sleep(0.01)
    for agent, other in zip(agents, ("Tobin Hale", "Mara Voss"), strict=True):
        about = [memory.text for memory in game.session.memories(agent.npc, (MemoryKind.CONVERSATION,), 0, 20)]
        assert any(f"talked with {other}" in text for text in about)
        assert not agent.mind.budget.is_called
    assert agents[0].doing.exchanges, "the player's line is kept"
    assert not appointments.coming(agents[0].mind, game.session.now)
    await game.tick(game.session.now + MINUTE)
    said = [event for event in game.told if isinstance(event, Speech) and event.npc == MARA]
    assert "I never liked that…" in [speech.text for speech in said if not speech.partial], "what was heard of her line was said"
