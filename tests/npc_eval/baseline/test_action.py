"""The baseline asks eight questions for a new action, as the reference does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from npc_eval.stand_in import StandIn
from npc_server.cognition import act
from npc_server.cognition.occupied import Occupied
from npc_server.llm.engine import Request
from npc_server.llm.scripted import ScriptedEngine
from npc_server.mind.mind import Mind
from npc_server.personas import routine
from npc_server.records import Action, Address, CallOutcome, PlanLevel, PlanStatus, PlanStep, Reach, Source
from tests.minds import MORNING, everywhere, make_mind, persona, same_as_golden, world

__all__ = ["make_mind", "persona", "world"]

MakeMind = Callable[..., Mind]
HOME, OVEN = "millbrook:mara_house:kitchen", "millbrook:cafe:kitchen:oven"
STEP = PlanStep("mara_voss", 3, PlanLevel.STEP, 1, MORNING, MORNING + 600, "bake rye bread", "", PlanStatus.AHEAD, Source.MODEL)
EIGHT = ["ga_sector", "ga_arena", "ga_object", "ga_emoji", "ga_triple", "ga_object_state", "ga_object_emoji", "ga_triple"]


def chooser(request: Request) -> str:
    replies = {
        "ga_sector": "cafe",
        "ga_arena": "cafe:kitchen",
        "ga_object": "cafe:kitchen:oven",
        "ga_emoji": "🥐",
        "ga_triple": "Mara Voss | is baking | rye bread",
        "ga_object_state": "hot",
        "ga_object_emoji": "🔥",
    }
    return replies[request.stage]


async def test_a_new_action_takes_eight_questions_with_the_golden_prompts(make_mind: MakeMind) -> None:
    engine = ScriptedEngine(chooser)
    action = await act.act(make_mind(engine, profile="generative-agents"), STEP, HOME, MORNING, everywhere, "mara_voss/1")
    assert [request.stage for request in engine.requests] == EIGHT
    for request in engine.requests:
        if request.stage != "ga_triple":
            same_as_golden(request, request.stage)
    assert isinstance(action, Action)
    assert (action.address, action.object_action, action.object_state, action.object_state_after) == (OVEN, "bake", "hot", "cold")
    assert (action.sentence, action.emoji, action.source) == ("Mara is baking rye bread", "🥐", Source.MODEL)


async def test_a_room_without_objects_asks_for_none(make_mind: MakeMind) -> None:
    def to_the_square(request: Request) -> str:
        return {"ga_sector": "lane", "ga_arena": "lane:west_end"}.get(request.stage) or chooser(request)

    engine = ScriptedEngine(to_the_square)
    action = await act.act(make_mind(engine, profile="generative-agents"), STEP, HOME, MORNING, everywhere, "mara_voss/1")
    assert [request.stage for request in engine.requests] == ["ga_sector", "ga_arena", "ga_emoji", "ga_triple"]
    assert isinstance(action, Action)
    assert (action.address, action.object_action) == ("millbrook:lane:west_end", "")


async def test_sleep_and_the_routine_are_nobodys_decision(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({})
    mind = make_mind(engine, profile="generative-agents")
    for step in (replace(STEP, text=routine.ASLEEP), replace(STEP, address=OVEN, source=Source.INSTINCT)):
        assert isinstance(await act.act(mind, step, HOME, MORNING, everywhere, "mara_voss/1"), Action)
    assert engine.requests == []


async def test_a_place_that_cannot_be_reached_or_is_taken_is_not_gone_to(make_mind: MakeMind) -> None:
    async def far(addresses: Sequence[Address]) -> list[Reach]:
        return [Reach(address, address != OVEN, 60.0) for address in addresses]

    async def taken(addresses: Sequence[Address]) -> list[Reach]:
        return [Reach(address, True, 60.0, free=address != OVEN) for address in addresses]

    action = await act.act(make_mind(ScriptedEngine(chooser), profile="generative-agents"), STEP, HOME, MORNING, far, "mara_voss/1")
    assert isinstance(action, Action)
    assert (action.address != OVEN, action.source) == (True, Source.INSTINCT)
    mind = make_mind(ScriptedEngine(chooser), profile="generative-agents")
    assert await act.act(mind, STEP, HOME, MORNING, taken, "mara_voss/1") == Occupied(OVEN)


async def test_an_answer_that_does_not_fit_is_left_to_instinct(make_mind: MakeMind) -> None:
    engine = ScriptedEngine(lambda request: "?")
    mind = make_mind(engine, profile="generative-agents")
    action = await act.act(mind, STEP, HOME, MORNING, everywhere, "mara_voss/1")
    assert isinstance(action, Action)
    assert (action.address, action.source) == (OVEN, Source.INSTINCT)
    assert {call.outcome for call in mind.draft.calls if not call.stage.endswith("emoji")} == {CallOutcome.RETRIED, CallOutcome.INSTINCT}


async def test_what_instinct_suggests_is_a_whole_reply_to_every_question(make_mind: MakeMind) -> None:
    for text in ("bake rye bread", "wander about", "talk with Tobin", "take a shower"):
        mind = make_mind(StandIn(), profile="generative-agents")
        action = await act.act(mind, replace(STEP, text=text), HOME, MORNING, everywhere, "mara_voss/1")
        assert isinstance(action, Action)
        assert action.source is Source.MODEL
        assert {call.outcome for call in mind.draft.calls} == {CallOutcome.USED}
