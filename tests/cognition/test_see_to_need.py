from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from npc_server.agent import Agent
from npc_server.clock import HOUR, MINUTE
from npc_server.cognition import see_to_need
from npc_server.llm.scripted import ScriptedEngine
from npc_server.mind.doing import Doing
from npc_server.mind.mind import Mind
from npc_server.prompts.load import PACKAGE_FOLDER
from npc_server.records import Action, MemoryKind, MemorySource, Needs, PlanLevel, PlanOrigin, PlanStep, Source
from tests.minds import MORNING, answering

MakeMind = Callable[..., Mind]
CAFE_KITCHEN, HOME_KITCHEN = "millbrook:cafe:kitchen", "millbrook:mara_house:kitchen"
NOON = MORNING + 5 * HOUR


def step_of(mind: Mind, address: str = "millbrook:cafe:kitchen:oven", source: Source = Source.INSTINCT, **changes: object) -> PlanStep:
    made = PlanStep(mind.npc, 0, PlanLevel.STEP, 1, NOON, NOON + 15 * MINUTE, "bake bread", address, source=source)
    return mind.add_steps([replace(made, **changes)])[0]  # type: ignore[arg-type]


async def test_who_is_hungry_eats_at_the_nearest_place_before_the_next_step(make_mind: MakeMind) -> None:
    mind = make_mind()
    mind.feelings.needs = Needs(food=0.8)
    found = await see_to_need.first(mind, step_of(mind), HOME_KITCHEN, NOON)
    assert (found.address, found.does) == (f"{HOME_KITCHEN}:table", "eat")
    assert found.sentence == "Mara is eating"
    assert found.origin is PlanOrigin.REACTION
    assert found.end == NOON + 30 * MINUTE


async def test_who_is_not_hungry_goes_on_with_the_plan(make_mind: MakeMind) -> None:
    mind = make_mind()
    mind.feelings.needs = Needs(food=2.0)
    step = step_of(mind)
    assert await see_to_need.first(mind, step, HOME_KITCHEN, NOON) == step


@pytest.mark.parametrize(
    "changes", [{"source": Source.MODEL}, {"origin": PlanOrigin.AGREED}, {"origin": PlanOrigin.REACTION}, {"text": "sleeping"}]
)
async def test_a_need_does_not_come_before_what_matters_more(make_mind: MakeMind, changes: dict[str, object]) -> None:
    mind = make_mind()
    mind.feelings.needs = Needs(food=0.0)
    step = step_of(mind, **changes)  # type: ignore[arg-type]
    assert await see_to_need.first(mind, step, HOME_KITCHEN, NOON) == step


async def test_a_meal_that_the_plan_has_soon_is_waited_for(make_mind: MakeMind) -> None:
    mind = make_mind()
    mind.feelings.needs = Needs(food=0.8)
    step = step_of(mind)
    lunch = PlanStep(mind.npc, 0, PlanLevel.HOUR, 0, NOON + 30 * MINUTE, NOON + HOUR, "eat lunch", f"{HOME_KITCHEN}:table")
    mind.add_steps([lunch])
    assert await see_to_need.first(mind, step, HOME_KITCHEN, NOON) == step


async def test_a_need_is_seen_to_once_and_not_all_day_long(make_mind: MakeMind) -> None:
    mind = make_mind()
    mind.feelings.needs = Needs(food=0.8)
    first = await see_to_need.first(mind, step_of(mind), HOME_KITCHEN, NOON)
    assert first.does == "eat"
    again = step_of(mind)
    assert await see_to_need.first(mind, again, HOME_KITCHEN, NOON + 30 * MINUTE) == again


async def test_nobody_eats_at_a_place_that_is_not_known_or_not_theirs(make_mind: MakeMind) -> None:
    mind = make_mind()
    mind.feelings.needs = Needs(food=0.8)
    mind.knowledge.forget(address for address in mind.knowledge.addresses() if address.startswith("millbrook:mara_house"))
    found = await see_to_need.first(mind, step_of(mind), HOME_KITCHEN, NOON)
    assert found.does != ""
    assert not found.address.startswith("millbrook:mara_house")
    assert not any(house in found.address for house in ("tobin", "ines"))


async def test_a_hungry_person_ends_the_step_then_eats_and_goes_on(make_mind: MakeMind) -> None:
    """Lyfe Agents' option: what is being done is kept until it ends."""
    mind = make_mind()
    agent = Agent(mind, Doing(address=CAFE_KITCHEN), answering)
    await agent.think(NOON)
    before = agent.doing.action
    assert before is not None
    mind.feelings.needs = Needs(food=0.5)
    await agent.think(NOON + MINUTE)
    assert agent.doing.action == before, "nobody leaves a step in the middle for a need"
    await agent.think(before.end)
    assert agent.doing.action is not None
    assert agent.doing.action.object_action == "eat"
    assert agent.doing.action.address.startswith("millbrook:cafe:dining_room")
    eaten = agent.doing.action.end
    await agent.think(eaten)
    assert mind.feelings.needs.food > 2
    actions = [event for event in agent.outgoing if isinstance(event, Action)]
    assert actions[-1].sentence in ("Mara is baking bread", "Mara is serving customers")


@pytest.mark.parametrize("name", ["plan_day", "plan_steps", "react", "say"])
async def test_what_is_felt_stands_in_the_part_of_a_prompt_that_is_not_shared(name: str) -> None:
    """Identity and relations come first in all prompts of an NPC, and models keep what they computed for them."""
    text = (PACKAGE_FOLDER / f"{name}.prompt").read_text(encoding="utf-8")
    assert re.search(r"\[\[user \d feels\]\]\n.*\{\{ feels \}\}", text)


async def test_a_model_is_told_of_needs_where_it_plans(make_mind: MakeMind) -> None:
    engine = ScriptedEngine(lambda request: "")
    mind = make_mind(engine)
    mind.feelings.needs, mind.feelings.needs_at = Needs(food=0.5), NOON
    await mind.remember(["I will eat less"], kind=MemoryKind.INTENTION, at=NOON, importance=[8], source=MemorySource.THOUGHT)
    await Agent(mind, Doing(address=CAFE_KITCHEN), answering).think(NOON)
    asked = {request.stage: request for request in engine.requests}
    assert "You are very hungry." in asked["plan_day"].user
    assert "You are very hungry." not in asked["plan_day"].system
    assert "hungry" not in asked["identity"].user
