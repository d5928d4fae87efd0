from __future__ import annotations

from collections.abc import Callable

from npc_server.clock import HOUR, MINUTE
from npc_server.cognition import own_deeds
from npc_server.instinct import news
from npc_server.instinct.recall import may_tell
from npc_server.mind.doing import OwnDeed
from npc_server.mind.mind import Mind
from npc_server.records import MemoryKind, MemoryTopic, PlanLevel, PlanStep
from tests.minds import MORNING

MakeMind = Callable[..., Mind]
OVEN = "millbrook:cafe:kitchen:oven"
COUNTER = "millbrook:cafe:dining_room:counter"


def at(minutes: int) -> int:
    return MORNING + HOUR + minutes * MINUTE


def bake(mind: Mind, start: int, end: int) -> None:
    own_deeds.begin(mind, "Mara is baking bread", OVEN, at(start))
    own_deeds.arrive(mind, at(start + 1))
    own_deeds.end(mind, at(end))


async def test_deeds_of_an_hour_become_one_memory_when_the_hour_is_over(make_mind: MakeMind) -> None:
    mind = make_mind()
    bake(mind, 10, 40)
    own_deeds.begin(mind, "Mara is serving customers.", COUNTER, at(40))
    own_deeds.arrive(mind, at(42))
    own_deeds.end(mind, at(55))
    assert await own_deeds.remember(mind, at(59)) == []
    (memory,) = await own_deeds.remember(mind, at(60))
    assert memory.text == (
        "Mara, 07:11-07:40 at the kitchen in the Kettle Café: baking bread. "
        "07:42-07:55 at the dining room in the Kettle Café: serving customers"
    )
    assert (memory.kind, memory.topic, memory.importance) == (MemoryKind.OBSERVATION, MemoryTopic.OWN_DEEDS, own_deeds.DEEDS_IMPORTANCE)
    assert memory.subject == "mara_voss"
    assert mind.lifestyle.deeds == ()
    assert await own_deeds.remember(mind, at(120)) == []


async def test_what_still_goes_on_waits_for_its_own_end(make_mind: MakeMind) -> None:
    mind = make_mind()
    bake(mind, 10, 50)
    own_deeds.begin(mind, "Mara is serving customers", COUNTER, at(50))
    (memory,) = await own_deeds.remember(mind, at(65))
    assert "serving" not in memory.text
    assert [deed.text for deed in mind.lifestyle.deeds] == ["serving customers"]


async def test_what_could_not_be_done_is_remembered_with_its_reason(make_mind: MakeMind) -> None:
    mind = make_mind()
    own_deeds.begin(mind, "Mara is baking bread", OVEN, at(5))
    own_deeds.end(mind, at(8), "the oven is occupied")
    (memory,) = await own_deeds.remember(mind, at(70))
    assert memory.text.endswith("baking bread (could not: the oven is occupied)")


async def test_who_never_got_there_does_not_remember_doing_it(make_mind: MakeMind) -> None:
    mind = make_mind()
    own_deeds.begin(mind, "Mara is baking bread", OVEN, at(5))
    own_deeds.end(mind, at(8))
    (memory,) = await own_deeds.remember(mind, at(70))
    assert memory.text.endswith("baking bread (did not get there)")


async def test_who_falls_asleep_remembers_the_last_deeds_and_not_the_sleep(make_mind: MakeMind) -> None:
    mind = make_mind()
    night = MORNING + 16 * HOUR
    own_deeds.begin(mind, "Mara is reading", "millbrook:mara_house:bedroom:bed", night + MINUTE)
    own_deeds.arrive(mind, night + MINUTE)
    own_deeds.begin(mind, "Mara is sleeping", "millbrook:mara_house:bedroom:bed", night + 5 * MINUTE)
    (memory,) = await own_deeds.remember(mind, night + 5 * MINUTE)
    assert memory.text.endswith("reading")
    assert mind.lifestyle.deeds == ()


def test_what_was_left_and_taken_up_again_is_a_deed_each_time(make_mind: MakeMind) -> None:
    mind = make_mind()
    bake(mind, 1, 10)
    bake(mind, 12, 20)
    assert mind.lifestyle.deeds == (OwnDeed("baking bread", OVEN, at(2), at(10), True), OwnDeed("baking bread", OVEN, at(13), at(20), True))


def test_what_was_given_up_at_once_is_no_deed(make_mind: MakeMind) -> None:
    mind = make_mind()
    own_deeds.begin(mind, "Mara is baking bread", OVEN, at(5))
    own_deeds.begin(mind, "Mara is serving customers", COUNTER, at(5) + 30)
    assert [deed.text for deed in mind.lifestyle.deeds] == ["serving customers"]


def hour_of(mind: Mind) -> PlanStep:
    return mind.add_steps([PlanStep(mind.npc, 0, PlanLevel.HOUR, 0, at(0), at(60), "work at the café")])[0]


async def test_the_steps_of_an_hour_are_remembered_as_its_plan_when_they_are_made(make_mind: MakeMind) -> None:
    mind = make_mind()
    hour, first = hour_of(mind), mind.plan.next_id
    rows = [(0, 15, "bake bread"), (15, 30, "serve customers"), (30, 45, "bake bread")]
    mind.add_steps([PlanStep(mind.npc, 0, PlanLevel.STEP, hour.id, at(a), at(b), text) for a, b, text in rows])
    (memory,) = await own_deeds.remember_plan(mind, first, at(0))
    assert memory.text == "Mara's plan for 07:00-07:45, work at the café: 07:00 bake bread; 07:15 serve customers."
    assert (memory.kind, memory.topic, memory.importance) == (MemoryKind.PLAN, MemoryTopic.PLAN, own_deeds.HOUR_PLAN_IMPORTANCE)
    assert await own_deeds.remember_plan(mind, mind.plan.next_id, at(5)) == []


async def test_without_planning_there_are_no_memories_of_plans(make_mind: MakeMind) -> None:
    mind = make_mind(planning=False)
    hour, first = hour_of(mind), mind.plan.next_id
    mind.add_steps([PlanStep(mind.npc, 0, PlanLevel.STEP, hour.id, at(0), at(15), "bake bread")])
    assert await own_deeds.remember_plan(mind, first, at(0)) == []


async def test_own_deeds_are_no_news_for_others(make_mind: MakeMind) -> None:
    mind = make_mind()
    bake(mind, 10, 40)
    (memory,) = await own_deeds.remember(mind, at(60))
    assert news.news(mind, ["tobin_hale"], at(60), frozenset()) is None
    assert not may_tell(mind, memory, "tobin_hale")
