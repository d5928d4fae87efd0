from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from npc_server.clock import DAY, HOUR, day_start
from npc_server.mind.mind import Mind
from npc_server.records import PlanLevel, PlanOrigin, PlanStatus, PlanStep
from tests.minds import MORNING

MakeMind = Callable[..., Mind]


def add(mind: Mind, hour: int, text: str, origin: PlanOrigin = PlanOrigin.PLANNED) -> PlanStep:
    start = MORNING + hour * HOUR
    (step,) = mind.add_steps([PlanStep("mara_voss", 0, PlanLevel.HOUR, 0, start, start + HOUR, text, origin=origin)])
    return step


def hours(mind: Mind, day: int = 0) -> list[str]:
    return [step.text for step in mind.steps_of(PlanLevel.HOUR, MORNING + day * DAY)]


def test_the_steps_of_a_day_are_ordered_by_when_they_begin(make_mind: MakeMind) -> None:
    mind = make_mind()
    for hour, text in ((5, "eat"), (1, "bake"), (24, "sweep"), (3, "serve")):
        add(mind, hour, text)
    assert hours(mind) == ["bake", "serve", "eat"]
    assert hours(mind, 1) == ["sweep"]
    assert mind.steps_of(PlanLevel.STEP, MORNING) == []


def test_what_changes_in_a_plan_is_seen_at_once(make_mind: MakeMind) -> None:
    mind = make_mind()
    bake, promised = add(mind, 1, "bake"), add(mind, 2, "help Tobin", PlanOrigin.AGREED)
    assert hours(mind) == ["bake", "help Tobin"]
    assert list(mind.planned().agreed) == [promised]
    mind.update_step(replace(bake, text="knead", status=PlanStatus.ACTIVE))
    assert hours(mind) == ["knead", "help Tobin"]
    add(mind, 3, "serve")
    assert hours(mind) == ["knead", "help Tobin", "serve"]
    mind.drop([promised])
    assert hours(mind) == ["knead", "serve"]
    assert list(mind.planned().agreed) == []


def test_another_hour_of_getting_up_moves_the_night_to_the_other_day(make_mind: MakeMind) -> None:
    mind = make_mind()
    night = add(mind, 22, "look at the stars")  # 04:00 of the next day
    assert hours(mind) == ["look at the stars"]
    mind.persona = replace(mind.persona, wake=3 * HOUR)
    assert hours(mind) == []
    assert mind.steps_of(PlanLevel.HOUR, night.start) == [night]


def test_the_steps_of_two_days_ago_are_forgotten_once_it_is_another_day(make_mind: MakeMind) -> None:
    mind = make_mind()
    for day in range(4):
        add(mind, 24 * day, f"day {day}")
    mind.plan.forget_old(MORNING + DAY)
    assert [step.text for step in mind.plan.steps] == ["day 0", "day 1", "day 2", "day 3"]
    mind.plan.forget_old(day_start(MORNING) + 3 * DAY)
    assert [step.text for step in mind.plan.steps] == ["day 2", "day 3"]
