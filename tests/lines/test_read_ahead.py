"""What a talk begins with is read before anybody speaks, so that the first line waits only for what is new."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from npc_server.clock import MINUTE
from npc_server.cognition import converse
from npc_server.config import MindSettings
from npc_server.errors import Overloaded
from npc_server.lines import read_ahead
from npc_server.llm.engine import EngineStatus, Priority, Request
from npc_server.llm.scripted import ScriptedEngine
from npc_server.mind.mind import Mind
from npc_server.mind.token_budget import TokenBudget
from npc_server.personas.voice import Voice
from npc_server.records import Line, Talk
from npc_server.session.read_people import PeopleReader
from tests.minds import MORNING
from tests.waiting import until

MakeMind = Callable[..., Mind]
SQUARE = "millbrook:green"


class Keeps(ScriptedEngine):
    """Says that it keeps what it has read, once it is ready."""

    is_ready = True

    def status(self) -> EngineStatus:
        return replace(super().status(), keeps_states=True, ready=self.is_ready)


def with_model(make_mind: MakeMind, **settings: object) -> tuple[Mind, Keeps]:
    engine = Keeps(lambda request: "nothing" if request.stage == "chat_after" else "Rye.", chats=True)
    mind = make_mind(engine, **settings)
    mind.persona = replace(mind.persona, voice=Voice("short and warm", greetings=("Morning. Mind the step.",)))
    return mind, engine


def shown(request: Request) -> str:
    return "\n".join([request.system, *(part for turn in request.turns for part in (turn.heard, turn.said)), request.user])


async def test_a_player_who_comes_near_has_the_opening_read_up_to_the_moment(make_mind: MakeMind) -> None:
    mind, engine = with_model(make_mind)
    mind.identity.currently = "Mara thinks of a new oven."
    mind.talks.players["Robin"] = frozenset()
    read_ahead.before_talk(mind, MORNING, SQUARE)
    await until(lambda: len(engine.requests) == 1)
    mind.budget = TokenBudget(players=1)
    now = MORNING + 2 * MINUTE
    talk = Talk("mara+Robin@1", ("mara_voss", "Robin"), SQUARE, now, (Line("Robin", "Good morning!", now),))
    await converse.say(mind, talk, now, frozenset(), present=())
    ahead, line = (shown(request) for request in engine.requests if request.stage == "say")
    common = next(n for n, (one, other) in enumerate(zip(ahead, line, strict=False)) if one != other)
    assert ahead[:common].endswith("It is Monday 4 May, 06:0"), "only the time has changed"
    assert "Mara thinks of a new oven." in ahead[:common]
    assert "Robin: stranger" in ahead[:common]


async def test_while_a_player_reads_an_answer_the_model_reads_it_too(make_mind: MakeMind) -> None:
    mind, engine = with_model(make_mind)
    mind.budget = TokenBudget(players=1)
    talk = Talk("mara+Robin@1", ("mara_voss", "Robin"), SQUARE, MORNING, (Line("Robin", "Good morning!", MORNING),))
    line = await converse.say(mind, talk, MORNING, frozenset(), present=())
    talk = replace(talk, lines=(*talk.lines, Line(mind.npc, line.text, MORNING)))
    before = len(engine.requests)
    read_ahead.next_line(mind, talk, "Robin", MORNING)
    await until(lambda: len(engine.requests) > before)
    ahead = engine.requests[-1]
    assert (ahead.max_tokens, ahead.turns[-1].said) == (1, "Rye.")
    talk = replace(talk, lines=(*talk.lines, Line("Robin", "Rye?", MORNING)))
    await converse.say(mind, talk, MORNING, frozenset(), present=())
    asked = [request for request in engine.requests[before + 1 :] if request.stage == "say"]
    assert (asked[0].system, asked[0].turns) == (ahead.system, ahead.turns), "nothing of it is read again"


async def test_no_thought_changes_what_lasts(make_mind: MakeMind) -> None:
    mind, engine = with_model(make_mind)
    await read_ahead.read_person(mind, MORNING)
    mind.identity.summary, mind.identity.currently = "Mara is tired of bread.", "Mara wants to see the sea."
    await read_ahead.read_person(mind, MORNING + 600 * MINUTE)
    first, second = engine.requests
    assert (first.system, first.turns) == (second.system, second.turns)
    assert first.lasting_turns == len(first.turns) > 0
    assert first.only_reads
    assert first.priority is Priority.IDLE


async def test_everybody_is_read_once_the_model_is_ready(make_mind: MakeMind) -> None:
    mind, engine = with_model(make_mind)
    other = replace(mind, persona=replace(mind.persona, id="tobin_hale", name="Tobin Hale"), talks=type(mind.talks)())
    reader = PeopleReader(engine, lambda: [mind, other], mind.settings)
    engine.is_ready = False
    reader.go_on(MORNING)
    engine.is_ready = True
    for _ in range(3):
        reader.go_on(MORNING)
    await until(lambda: len(engine.requests) == 2)
    assert [request.npc for request in engine.requests] == ["mara_voss", "tobin_hale"]
    await reader.stop()
    reader.go_on(MORNING)
    assert len(engine.requests) == 2


async def test_a_reading_that_is_stopped_reads_nobody_else(make_mind: MakeMind) -> None:
    mind, engine = with_model(make_mind)
    engine.delay_s = 3600.0
    reader = PeopleReader(engine, lambda: [mind], mind.settings)
    reader.go_on(MORNING)
    await until(lambda: engine.running == 1)
    await reader.stop()
    await until(lambda: engine.running == 0)
    assert not mind.talks.reading.goes_on


async def test_a_model_that_is_asked_too_much_reads_less_and_nobody_hears_of_it(make_mind: MakeMind) -> None:
    mind, engine = with_model(make_mind)
    engine._ask = lambda _: Overloaded("Too many requests wait.", "Ask less often.")
    await read_ahead.read_person(mind, MORNING)
    read_ahead.begin_chat(mind, MORNING)
    reading = mind.talks.reading.task
    assert reading is not None
    await reading
    assert len(engine.requests) == 2


@pytest.mark.parametrize(("keeps", "asked"), [(False, "fitting"), (True, "players")])
async def test_nobody_is_read_where_nothing_is_kept_or_one_person_alone_talks(make_mind: MakeMind, keeps: bool, asked: str) -> None:
    mind, engine = with_model(make_mind)
    if not keeps:
        mind.tools.engine = ScriptedEngine({}, chats=True)
    reader = PeopleReader(mind.tools.engine, lambda: [mind], MindSettings.model_validate({"asked": asked}))
    reader.go_on(MORNING)
    await reader.stop()
    assert not engine.requests
    assert not mind.talks.reading.goes_on
