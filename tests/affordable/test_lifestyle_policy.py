from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from npc_server.affordable import lifestyle_policy
from npc_server.clock import HOUR, MINUTE
from npc_server.llm.scripted import ScriptedEngine
from npc_server.memory.draft import Draft
from npc_server.mind.mind import Mind
from npc_server.mind.parts.lifestyle import Lifestyle
from npc_server.mind.parts.plan import OwnPlan
from npc_server.personas.schema import load_persona
from npc_server.records import Document, PolicyStep
from npc_server.world.knowledge import Knowledge, known_from_start
from tests.minds import MORNING

STOVE = "millbrook:mara_house:kitchen:stove"
BENCH = "millbrook:green:lawn:bench"
BED = "millbrook:green:lawn:flower_bed"
COUNTER = "millbrook:cafe:dining_room:counter"
TOBIN = """
id: tobin_hale
name: Tobin Hale
age: 41
identity: Tobin Hale mends what breaks
home: tobin_house:bedroom:bed
"""

MakeMind = Callable[..., Mind]


def step(activity: str, address: str, does: str = "", minutes: int = 15, who: str = "Mara") -> PolicyStep:
    return PolicyStep(minutes, activity, address, does, f"{who} is {activity}", "🙂")


GARDEN = (step("watering the flowers", BED, "water the flowers", 20), step("resting on the bench", BENCH, "sit", 10))
COOKING = (step("cooking soup", STOVE, "cook", 30),)


def later(mind: Mind) -> None:
    """The thought is on disk."""
    mind.lifestyle.policies.stored(mind.npc, mind.draft.policies)
    mind.draft = Draft()


def tobin(mind: Mind) -> Mind:
    persona = load_persona(Document("tobin_hale.yaml", TOBIN), "millbrook")
    known = Knowledge(known_from_start(mind.world, persona.id, persona.home, persona.knows))
    lifestyle = Lifestyle(mind.lifestyle.policies)
    return replace(mind, persona=persona, knowledge=known, draft=Draft(), lifestyle=lifestyle, plan=OwnPlan())


async def learned(mind: Mind, activity: str, steps: Sequence[PolicyStep], *needs: tuple[str, str], at: int = MORNING) -> None:
    await lifestyle_policy.remember(mind, activity, sum(s.minutes for s in steps), needs, steps, at)
    later(mind)


async def test_what_worked_is_done_again_in_the_same_way(make_mind: MakeMind) -> None:
    mind = make_mind(ScriptedEngine({}))
    await learned(mind, "tend the garden", GARDEN, (BED, "dry"), (BENCH, ""))
    found = await lifestyle_policy.recall(mind, "Tend  the garden", 30, MORNING + HOUR)
    assert found is not None
    assert found.steps == GARDEN
    assert mind.tally.policy == 1


async def test_a_like_activity_is_lived_by_the_same_policy_and_another_is_not(make_mind: MakeMind) -> None:
    mind = make_mind(ScriptedEngine({}), policy_similarity=0.6)
    await learned(mind, "tend the garden on the green", GARDEN)
    assert await lifestyle_policy.recall(mind, "tend the garden on the green today", 30, MORNING + HOUR)
    assert await lifestyle_policy.recall(mind, "write to the bank", 30, MORNING + HOUR) is None


async def test_a_policy_is_not_used_where_an_object_it_needs_is_missing(make_mind: MakeMind) -> None:
    mind = make_mind(ScriptedEngine({}))
    await learned(mind, "cook soup", COOKING, (STOVE, "off"))
    assert await lifestyle_policy.recall(mind, "cook soup", 30, MORNING + HOUR)
    await learned(mind, "sit and look", (step("sitting", BENCH, "sit", 30),), (BED, "dry"))
    assert await lifestyle_policy.recall(mind, "sit and look", 30, MORNING + HOUR)
    mind.knowledge = Knowledge(seen for seen in mind.knowledge if seen.address not in (STOVE, BED))
    assert await lifestyle_policy.recall(mind, "cook soup", 30, MORNING + HOUR) is None
    assert await lifestyle_policy.recall(mind, "sit and look", 30, MORNING + HOUR) is None


async def test_a_policy_is_not_used_where_an_object_it_needs_is_in_another_state(make_mind: MakeMind) -> None:
    mind = make_mind(ScriptedEngine({}))
    await learned(mind, "cook soup", COOKING, (STOVE, "off"))
    mind.knowledge.learn(STOVE, "burning", MORNING)
    assert await lifestyle_policy.recall(mind, "cook soup", 30, MORNING + HOUR) is None
    mind.knowledge.learn(STOVE, "off", MORNING)
    assert await lifestyle_policy.recall(mind, "cook soup", 30, MORNING + HOUR)


async def test_what_counts_is_what_the_npc_believes(make_mind: MakeMind) -> None:
    mind = make_mind(ScriptedEngine({}))
    await learned(mind, "cook soup", COOKING, (STOVE, "off"))
    mind.world.set_state(STOVE, "burning")
    assert await lifestyle_policy.recall(mind, "cook soup", 30, MORNING + HOUR)


async def test_a_policy_is_not_used_when_one_of_its_places_will_be_closed(make_mind: MakeMind) -> None:
    mind = make_mind(ScriptedEngine({}))
    steps = (step("walking over", BENCH, "", 30), step("serving", COUNTER, "serve customers", 30))
    await learned(mind, "help at the café", steps)
    five = MORNING + 11 * HOUR
    assert await lifestyle_policy.recall(mind, "help at the café", 60, five)
    assert await lifestyle_policy.recall(mind, "help at the café", 60, five + 40 * MINUTE) is None  # it closes at six


async def test_one_activity_may_have_several_conditions(make_mind: MakeMind) -> None:
    mind = make_mind(ScriptedEngine({}))
    await learned(mind, "tend the garden", GARDEN, (BED, "dry"))
    weeding = (step("weeding", BED, "weed", 30),)
    await learned(mind, "tend the garden", weeding, (BED, "watered"), at=MORNING + 1)
    mind.knowledge.learn(BED, "watered", MORNING)
    found = await lifestyle_policy.recall(mind, "tend the garden", 30, MORNING + HOUR)
    assert found is not None
    assert found.steps == weeding
    mind.knowledge.learn(BED, "dry", MORNING)
    found = await lifestyle_policy.recall(mind, "tend the garden", 30, MORNING + HOUR)
    assert found is not None
    assert found.steps == GARDEN


async def test_of_several_that_hold_the_one_that_worked_most_often_is_used(make_mind: MakeMind) -> None:
    mind = make_mind(ScriptedEngine({}))
    sitting = (step("sitting about", BENCH, "sit", 30),)
    for activity, often, seldom in [("tend the garden", sitting, GARDEN), ("sit in the garden", GARDEN, sitting)]:
        for i in range(3):
            await learned(mind, activity, often, at=MORNING + i)
        await learned(mind, activity, seldom, at=MORNING + 9)
        found = await lifestyle_policy.recall(mind, activity, 30, MORNING + HOUR)
        assert found is not None
        assert found.steps == often


async def test_a_policy_that_failed_is_not_used_until_the_same_plan_has_worked_again(make_mind: MakeMind) -> None:
    mind = make_mind(ScriptedEngine({}))
    await learned(mind, "tend the garden", GARDEN)
    found = await lifestyle_policy.recall(mind, "tend the garden", 30, MORNING + HOUR)
    assert found is not None
    lifestyle_policy.failed(mind, found.key, MORNING + HOUR)
    assert await lifestyle_policy.recall(mind, "tend the garden", 30, MORNING + HOUR) is None  # its own thought knows already
    later(mind)
    assert await lifestyle_policy.recall(mind, "tend the garden", 30, MORNING + 2 * HOUR) is None
    await learned(mind, "tend the garden", GARDEN, at=MORNING + 3 * HOUR)
    assert await lifestyle_policy.recall(mind, "tend the garden", 30, MORNING + 4 * HOUR)
    (kept,) = mind.lifestyle.policies.seen_by(mind.npc).values()
    assert (kept.worked, kept.failed, kept.usable) == (2, 1, True)


async def test_what_is_done_in_public_is_lived_by_others_under_their_own_name(make_mind: MakeMind) -> None:
    mara = make_mind(ScriptedEngine({}))
    await learned(mara, "tend the garden", GARDEN, (BED, "dry"))
    found = await lifestyle_policy.recall(tobin(mara), "tend the garden", 30, MORNING + HOUR)
    assert found is not None
    assert found.steps[0].sentence == "Tobin is watering the flowers"


@pytest.mark.parametrize(
    ("activity", "steps"),
    [
        ("cook soup", COOKING),  # at home
        ("bake bread", (step("baking", "millbrook:cafe:kitchen:oven", "bake", 30),)),  # a room with an owner
        ("sit with Tobin", (step("sitting on the bench", BENCH, "sit", 30),)),  # names somebody
        ("sit a while", (step("telling hale tales", BENCH, "sit", 30),)),  # a name, whatever the case
        ("sit a while", (step("resting her feet", BENCH, "sit", 30),)),  # says what somebody is
        ("sit a while", (step("sitting with Ren", BENCH, "sit", 30),)),  # a player
    ],
)
async def test_what_is_ones_own_is_kept_for_oneself(make_mind: MakeMind, activity: str, steps: tuple[PolicyStep, ...]) -> None:
    mara = make_mind(ScriptedEngine({}))
    mara.people.names["ren"] = "Ren"
    await learned(mara, activity, steps)
    assert await lifestyle_policy.recall(mara, activity, 30, MORNING + HOUR)
    assert [it.owner for it in mara.lifestyle.policies.seen_by("mara_voss").values()] == ["mara_voss"]
    other = tobin(mara)
    other.knowledge = mara.knowledge
    assert await lifestyle_policy.recall(other, activity, 30, MORNING + HOUR) is None


async def test_what_is_learned_is_seen_by_others_from_a_later_time_on(make_mind: MakeMind) -> None:
    """So it does not matter who thinks first."""
    mara = make_mind(ScriptedEngine({}))
    await learned(mara, "tend the garden", GARDEN)
    assert await lifestyle_policy.recall(tobin(mara), "tend the garden", 30, MORNING) is None
    assert await lifestyle_policy.recall(tobin(mara), "tend the garden", 30, MORNING + 1)


async def test_a_single_deed_is_answered_by_a_step_of_a_longer_plan(make_mind: MakeMind) -> None:
    mind = make_mind(ScriptedEngine({}))
    await learned(mind, "tend the garden", GARDEN, (BED, "dry"))
    found = await lifestyle_policy.recall_step(mind, "resting on the bench", MORNING + HOUR)
    assert found is not None
    assert found.steps == (GARDEN[1],)
    assert await lifestyle_policy.recall_step(mind, "resting on the bench", MORNING + HOUR, within="millbrook:cafe") is None
    assert await lifestyle_policy.recall_step(mind, "resting on the bench", MORNING + HOUR, avoid=[BENCH]) is None
    mind.knowledge.learn(BED, "watered", MORNING)
    assert await lifestyle_policy.recall_step(mind, "watering the flowers", MORNING + HOUR) is None
    assert await lifestyle_policy.recall_step(mind, "resting on the bench", MORNING + HOUR)


async def test_commands_of_a_household_and_steps_of_a_plan_are_kept_apart(make_mind: MakeMind) -> None:
    mind = make_mind(ScriptedEngine({}))
    commands = (replace(COOKING[0], does="put on stove", sentence="", emoji=""),)
    await learned(mind, "cook soup", commands, (STOVE, "off"))
    assert await lifestyle_policy.recall(mind, "cook soup", 30, MORNING + HOUR) is None
    found = await lifestyle_policy.recall(mind, "cook soup", 0, MORNING + HOUR, commands=True)
    assert found is not None
    assert found.steps[0].does == "put on stove"


async def test_a_plan_must_be_about_as_long_as_the_time_there_is(make_mind: MakeMind) -> None:
    mind = make_mind(ScriptedEngine({}))
    await learned(mind, "tend the garden", GARDEN)
    for minutes, fits in [(14, False), (15, True), (30, True), (60, True), (61, False)]:
        found = await lifestyle_policy.recall(mind, "tend the garden", minutes, MORNING + HOUR)
        assert (found is not None) is fits, minutes
        assert found is None or sum(s.minutes for s in found.steps) == minutes


async def test_nothing_is_kept_or_used_where_policies_are_off(make_mind: MakeMind) -> None:
    mind = make_mind(ScriptedEngine({}), policies=False)
    await learned(mind, "tend the garden", GARDEN)
    assert not mind.lifestyle.policies.seen_by(mind.npc)
    assert await lifestyle_policy.recall(mind, "tend the garden", 30, MORNING + HOUR) is None


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(1, 30), min_size=1, max_size=12), st.floats(0.5, 2.0), st.integers(1, 10))
def test_fitted_steps_fill_the_time_exactly(lengths: list[int], factor: float, shortest: int) -> None:
    minutes = max(1, round(sum(lengths) * factor))
    steps = [step("waiting", BENCH, minutes=length) for length in lengths]
    found = lifestyle_policy.fitted(steps, minutes, shortest)
    assert sum(s.minutes for s in found) == minutes
    assert all(s.minutes >= 1 for s in found)
    assert len(found) == len(steps) if minutes >= sum(lengths) else len(found) <= max(1, minutes // shortest)
