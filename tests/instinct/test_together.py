"""How people talk without a model who live together, or who stay where they are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from npc_server.clock import HOUR, MINUTE
from npc_server.instinct import phrases, small_talk, together
from npc_server.mind.instinct import Said
from npc_server.mind.mind import Mind
from npc_server.records import PlanLevel, PlanStep, Talk
from npc_server.world.tree import World
from tests.instinct.talking import VOICE, mind, talk
from tests.minds import MORNING

__all__ = ["mind"]
HOUSE = "millbrook:mara_house"
SQUARE = "millbrook:lane:square"


def share_the_house(mind: Mind) -> None:
    """Mara and Tobin live together."""
    mind.world = World(replace(node, owners=("mara_voss", "tobin_hale")) if node.address == HOUSE else node for node in mind.world)


def goes_on_at(mind: Mind, address: str) -> None:
    """Mara's plan for the next hour."""
    mind.plan.steps = []
    mind.add_steps([PlanStep(mind.npc, 0, PlanLevel.STEP, 0, MORNING, MORNING + HOUR, "rest", address)])


def last_line(mind: Mind, place: str = SQUARE, *, leaves: bool = False) -> Said:
    """Mara's third line in a talk, which ends it."""
    said = talk(("mara_voss", "a"), ("tobin_hale", "b"), ("mara_voss", "c"), ("tobin_hale", "d"), claims=())
    said = replace(said, place=place, lines=(*said.lines[:-1], replace(said.lines[-1], leaves=leaves)))
    return small_talk.say(mind, said, MORNING, frozenset())


@pytest.mark.parametrize(("hours", "bank"), [(0, "mornings"), (6, "at_home")])
def test_people_of_one_house_do_not_greet_each_other_as_strangers(mind: Mind, hours: int, bank: str) -> None:
    now = mind.day_of(MORNING) + mind.persona.wake + hours * HOUR
    assert small_talk.say(mind, talk(), now, frozenset()).text in VOICE.greetings
    share_the_house(mind)
    assert small_talk.say(mind, talk(), now, frozenset()).text in phrases.lines(bank)


def test_only_those_who_share_the_home_live_together(mind: Mind) -> None:
    share_the_house(mind)
    assert together.live_together(mind, ["tobin_hale"])
    assert not together.live_together(mind, ["tobin_hale", "ines_calder"])
    assert not together.live_together(mind, ["Alex"])


def test_who_stays_ends_a_talk_without_a_goodbye(mind: Mind) -> None:
    goes_on_at(mind, f"{SQUARE}:bench")
    line = last_line(mind)
    assert (line.text in VOICE.farewells, line.leaves, line.closes) == (False, False, True)
    goes_on_at(mind, "millbrook:cafe:kitchen:oven")
    line = last_line(mind)
    assert (line.text, line.leaves, line.closes) == ("Mind yourself.", True, False)


def test_who_stays_answers_a_goodbye(mind: Mind) -> None:
    goes_on_at(mind, f"{SQUARE}:bench")
    line = last_line(mind, leaves=True)
    assert (line.text, line.leaves, line.closes) == ("Mind yourself.", True, False)


def test_nobody_takes_leave_of_their_family_from_room_to_room(mind: Mind) -> None:
    goes_on_at(mind, f"{HOUSE}:bathroom:shower")
    assert last_line(mind, f"{HOUSE}:bedroom").leaves
    share_the_house(mind)
    assert last_line(mind, f"{HOUSE}:bedroom").closes
    assert last_line(mind, SQUARE).leaves


def test_plan_of_the_day_tells_what_comes_after_the_steps(mind: Mind) -> None:
    at_bench = Talk("t", ("mara_voss", "tobin_hale"), SQUARE, MORNING)
    goes_on_at(mind, f"{SQUARE}:bench")
    mind.add_steps([PlanStep(mind.npc, 0, PlanLevel.HOUR, 0, MORNING + HOUR, MORNING + 2 * HOUR, "work", "millbrook:cafe:kitchen")])
    assert together.stays(mind, at_bench, MORNING)
    assert not together.stays(mind, at_bench, MORNING + HOUR - 5 * MINUTE)
    assert not together.stays(mind, at_bench, MORNING + 5 * HOUR), "nothing is planned"
