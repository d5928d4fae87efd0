from __future__ import annotations

from collections.abc import Callable

from npc_server.cognition import occupied, plan
from npc_server.mind.mind import Mind
from npc_server.records import PlanLevel, PlanStatus, PlanStep, Reach, StepKind
from tests.minds import MORNING

SHOWER, HALL = "millbrook:mara_house:bathroom:shower", "millbrook:mara_house:hall"
MINUTE = 60


def test_a_place_is_occupied_where_one_can_go_but_finds_no_room() -> None:
    assert occupied.is_occupied(Reach(SHOWER, True, 3.0, free=False))
    assert not occupied.is_occupied(Reach(SHOWER, True, 3.0, free=True))
    assert not occupied.is_occupied(Reach(SHOWER, False, 0.0, free=False))


async def test_who_finds_a_place_occupied_waits_outside_and_then_tries_again(make_mind: Callable[..., Mind]) -> None:
    mind = make_mind()
    (hour,) = mind.add_steps([PlanStep(mind.npc, 0, PlanLevel.HOUR, 0, MORNING, MORNING + 60 * MINUTE, "get ready")])
    mind.add_steps([PlanStep(mind.npc, 0, PlanLevel.DAY, 0, MORNING, MORNING + 60 * MINUTE, "morning")])
    (shower,) = mind.add_steps(
        [PlanStep(mind.npc, 0, PlanLevel.STEP, hour.id, MORNING, MORNING + 60 * MINUTE, "shower", SHOWER, PlanStatus.AHEAD)]
    )
    occupied.wait(mind, SHOWER, shower, HALL, MORNING)
    waiting = await plan.next_step(mind, MORNING)
    assert (waiting.kind, waiting.address, waiting.end) == (StepKind.PAUSE, HALL, MORNING + occupied.WAIT_MIN * MINUTE)
    assert waiting.text == "waiting for the shower in the bathroom of Mara's house"
    assert (await plan.next_step(mind, waiting.end)).id == shower.id


def test_nobody_waits_longer_than_the_step_may_take(make_mind: Callable[..., Mind]) -> None:
    mind = make_mind()
    (shower,) = mind.add_steps([PlanStep(mind.npc, 0, PlanLevel.STEP, 0, MORNING, MORNING + 2 * MINUTE, "shower", SHOWER)])
    occupied.wait(mind, SHOWER, shower, HALL, MORNING)
    assert mind.plan.steps[-1].end == MORNING + 2 * MINUTE
