"""What a model is asked where a machine has not the time for all, in a session with a game."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from npc_server.llm.engine import EngineStatus, Request
from npc_server.llm.scripted import ScriptedEngine
from npc_server.llm.speed import Speed
from npc_server.records import Clock, MemoryKind
from npc_server.session.host import Host
from npc_server.session.session import Session
from npc_server.session.talks import Meeting
from tests.session.conftest import Game, personas, town

MakeHost = Callable[..., Host]


class Slow(ScriptedEngine):
    """A model that is too slow for all but players."""

    def __init__(self) -> None:
        super().__init__(answer)

    def status(self) -> EngineStatus:
        return replace(super().status(), speed=Speed(1.0, 1.0))


def answer(request: Request) -> str:
    return "agrees: no\nsay: The oven is on.\nthen: go on" if request.stage == "say" else "?"


async def opened(host: Host) -> Session:
    await host.create_save("slot", town(), personas(), 7, 0)
    return await host.open_save("slot")


async def test_a_slow_model_is_asked_for_lines_to_players_and_plans_no_day(make_host: MakeHost) -> None:
    engine = Slow()
    host = make_host(engine)
    session = await opened(host)
    assert host.engine.status().kinds == ("answers to players",)
    game = Game(session)
    await game.send(Clock(session.now + 60, lockstep=False))
    await session.say("mara_voss", "Robin", "What are you doing?", lambda piece: None)
    asked = {request.stage for request in engine.requests}
    assert "say" in asked
    assert not asked & {"plan_day", "plan_steps", "act", "identity"}


async def test_people_who_talk_among_themselves_do_so_by_instinct_and_no_line_is_refused(make_host: MakeHost) -> None:
    engine = Slow()
    host = make_host(engine)
    session = await opened(host)
    members = (session.agent("tobin_hale"), session.agent("mara_voss"))
    await Game(session).send(Clock(session.now + 1, lockstep=False))
    while session._thinking._thoughts:
        await asyncio.wait(list(session._thinking._thoughts.values()))
    session._thinking._context.busy.update(member.npc for member in members)
    await session._thinking._talk(Meeting(members, {"tobin_hale": "the mill"}), lockstep=False)
    assert any("Tobin" in memory.text for memory in members[1].mind.stream.latest(5, (MemoryKind.CONVERSATION,)))
    assert "say" not in {request.stage for request in engine.requests}
    reasons = await session._store.do(lambda db: {row[0] for row in db.execute("SELECT reason FROM calls")})
    assert "OVERLOADED" not in reasons


async def test_in_lockstep_the_clock_waits_and_all_is_asked(make_host: MakeHost) -> None:
    engine = Slow()
    host = make_host(engine)
    session = await opened(host)
    await Game(session).tick(session.now + 60)
    assert host.engine.status().kinds == ()
    assert "plan_day" in {request.stage for request in engine.requests}
