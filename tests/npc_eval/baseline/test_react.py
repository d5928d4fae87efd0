"""The baseline's reactions: to persons only, talk first, and waiting where both want the same thing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from npc_server.clock import HOUR
from npc_server.cognition import react
from npc_server.llm.scripted import ScriptedEngine
from npc_server.mind import replies
from npc_server.mind.instinct import Reaction
from npc_server.mind.mind import Mind
from npc_server.records import Memory, MemoryKind, MemorySource, PlanLevel, PlanStatus, PlanStep, Source
from tests.minds import MORNING, same_as_golden

MakeMind = Callable[..., Mind]
SHOWER = "millbrook:mara_house:bathroom:shower"
STOVE = "millbrook:mara_house:kitchen:stove"
BASELINE = {"profile": "generative-agents"}


async def seen(mind: Mind, subject: str, text: str, address: str = SHOWER, importance: int = 3) -> Memory:
    common = {"kind": MemoryKind.OBSERVATION, "at": MORNING, "source": MemorySource.SEEN, "address": address}
    triples = [(subject, "is", text)]
    return (await mind.remember([f"{subject} is {text}"], importance=[importance], triples=triples, **common))[0]  # type: ignore[arg-type]


async def reaction(mind: Mind, memory: Memory) -> Reaction | None:
    return await react.react(mind, [memory], "Mara is getting up", SHOWER, MORNING, lambda who: True)


def going_to_the_shower(mind: Mind) -> None:
    step = PlanStep("mara_voss", 0, PlanLevel.STEP, 0, MORNING, MORNING + HOUR, "shower", SHOWER)
    mind.add_steps([replace(step, status=PlanStatus.ACTIVE)])


async def test_whether_to_talk_is_asked_of_every_person_seen(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({"ga_decide_talk": ["yes"]})
    mind = make_mind(engine, **BASELINE)
    memory = await seen(mind, "Tobin Hale", "mending a chair")
    assert await reaction(mind, memory) == Reaction(replies.TALK, Source.MODEL, "tobin_hale", memory.text)
    same_as_golden(engine.requests[0], "ga_decide_talk")


async def test_whether_to_wait_is_asked_only_where_both_want_the_same(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({"ga_decide_talk": ["no", "no"], "ga_decide_react": ["wait"]})
    mind = make_mind(engine, **BASELINE)
    memory = await seen(mind, "Tobin Hale", "taking a shower")
    assert await reaction(mind, memory) is None
    assert [request.stage for request in engine.requests] == ["ga_decide_talk"]
    going_to_the_shower(mind)
    found = await reaction(mind, memory)
    assert found is not None
    assert (found.kind, found.source, found.errands[0].address) == (replies.WAIT, Source.MODEL, SHOWER)
    same_as_golden(engine.requests[-1], "ga_decide_react")


async def test_about_things_nothing_is_asked_and_a_fire_is_put_out_by_rule(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({})
    mind = make_mind(engine, **BASELINE)
    mind.world.set_state(STOVE, "burning")
    found = await reaction(mind, await seen(mind, STOVE, "burning", STOVE, 8))
    assert found is not None
    assert (found.kind, found.source) == (replies.CHANGE, Source.INSTINCT)
    assert not engine.requests


async def test_an_answer_that_was_not_offered_is_left_to_instinct(make_mind: MakeMind) -> None:
    engine = ScriptedEngine(lambda request: "perhaps")
    mind = make_mind(engine, **BASELINE)
    going_to_the_shower(mind)
    found = await reaction(mind, await seen(mind, "Tobin Hale", "taking a shower"))
    assert found is None or found.source is Source.INSTINCT
    assert mind.tally.model == 0
