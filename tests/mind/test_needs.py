from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from npc_server.clock import HOUR, MINUTE
from npc_server.mind import identity, needs
from npc_server.mind.doing import Doing
from npc_server.mind.mind import Mind
from npc_server.records import Action, Emotion, Need, Needs
from tests.minds import MORNING

MakeMind = Callable[..., Mind]
TABLE = "millbrook:mara_house:kitchen:table"
NIGHT = MORNING + 16 * HOUR
PLAIN = {Need.FOOD: 1.0, Need.REST: 0.5}


def doing(address: str, does: str, start: int, minutes: int, step: int = 1) -> Doing:
    """An action of so many minutes, for a step of the plan."""
    action = Action("mara_voss/1", "mara_voss", f"Mara is {does}", address, "🙂", start, start + minutes * MINUTE, does)
    return Doing(address, action, step=step, actions=1)


def test_needs_empty_with_game_time_by_their_rates() -> None:
    found = needs.after(Needs(food=8, rest=8), 2 * HOUR, PLAIN, {})
    assert (found.food, found.rest, found.fun) == (6.0, 7.0, 8.0)


def test_what_is_filled_does_not_empty_meanwhile() -> None:
    assert needs.after(Needs(food=2), 30 * MINUTE, PLAIN, {Need.FOOD: 10.0}).food == 7.0


def test_needs_stay_between_empty_and_full() -> None:
    assert needs.after(Needs(food=1, rest=9), 20 * HOUR, PLAIN, {Need.REST: 2.0}) == Needs(food=0.0, rest=10.0)


def test_an_action_fills_what_the_town_file_says(make_mind: MakeMind) -> None:
    mind = make_mind()
    mind.feelings.needs, mind.feelings.needs_at = Needs(food=2), MORNING
    needs.live(mind, doing(TABLE, "eat", MORNING, 30), MORNING + 30 * MINUTE)
    assert mind.feelings.needs.food == 7.0
    assert mind.feelings.needs.rest < 8.0


def test_an_action_without_data_fills_nothing(make_mind: MakeMind) -> None:
    mind = make_mind()
    mind.feelings.needs, mind.feelings.needs_at = Needs(food=2), MORNING
    needs.live(mind, doing(TABLE, "eat a horse", MORNING, 30), MORNING + 30 * MINUTE)
    assert mind.feelings.needs.food < 2


def test_a_talk_fills_company(make_mind: MakeMind) -> None:
    mind = make_mind()
    mind.feelings.needs, mind.feelings.needs_at = Needs(company=2), MORNING
    needs.live(mind, doing("millbrook:lane:square", "", MORNING, 6, step=0), MORNING + 6 * MINUTE)
    assert mind.feelings.needs.company == 4.0


def test_sleep_fills_rest_whatever_the_bed_says(make_mind: MakeMind) -> None:
    mind = make_mind()
    mind.feelings.needs, mind.feelings.needs_at = Needs(food=8, rest=0), NIGHT
    needs.live(mind, doing("millbrook:mara_house:bedroom:bed", "", NIGHT, 8 * 60), NIGHT + 8 * HOUR)
    assert mind.feelings.needs.rest == pytest.approx(8 * 1.2, abs=0.01)
    assert 6 < mind.feelings.needs.food < 7, "one is hungry in the morning, not starved"


def test_a_night_that_ends_within_the_time_is_not_slept_on(make_mind: MakeMind) -> None:
    mind = make_mind()
    mind.feelings.needs, mind.feelings.needs_at = Needs(rest=1), NIGHT
    needs.live(mind, doing("millbrook:mara_house:bedroom:bed", "", NIGHT, 60), NIGHT + 3 * HOUR)
    assert mind.feelings.needs.rest < 1 + 1.2


def test_a_game_that_skips_days_starves_nobody(make_mind: MakeMind) -> None:
    mind = make_mind()
    mind.feelings.needs_at = MORNING
    needs.live(mind, Doing(), MORNING + 72 * HOUR)
    assert mind.feelings.needs.food > 7


def test_needs_can_be_switched_off(make_mind: MakeMind) -> None:
    mind = make_mind(needs=False)
    mind.feelings.needs, mind.feelings.needs_at = Needs(food=0), MORNING
    needs.live(mind, Doing(), MORNING + HOUR)
    assert mind.feelings.needs == Needs(food=0)
    assert identity.feels(mind, MORNING) == ""


def test_nothing_is_said_of_needs_while_all_is_well(make_mind: MakeMind) -> None:
    assert identity.feels(make_mind(), MORNING) == ""


def test_low_needs_are_said_most_urgent_first(make_mind: MakeMind) -> None:
    mind = make_mind()
    mind.feelings.needs = Needs(food=0.5, rest=2.9)
    assert identity.feels(mind, MORNING) == "You are very hungry and tired."


def test_a_need_that_becomes_empty_is_felt_and_eating_makes_happy(make_mind: MakeMind) -> None:
    mind = make_mind()
    mind.feelings.needs, mind.feelings.needs_at = Needs(food=1.2), MORNING
    needs.live(mind, doing("millbrook:lane:square", "", MORNING, 60), MORNING + HOUR)
    assert mind.feelings.mood.emotion is Emotion.ANGRY
    mind.feelings.mood = replace(mind.feelings.mood, strength=0.0)
    needs.live(mind, doing(TABLE, "eat", MORNING + HOUR, 60), MORNING + 2 * HOUR)
    assert mind.feelings.mood.emotion is Emotion.HAPPY


def test_the_game_is_told_of_feelings_when_they_change_noticeably(make_mind: MakeMind) -> None:
    mind = make_mind()
    assert [it.needs for it in needs.news(mind, MORNING)] == [mind.feelings.needs]
    mind.feelings.needs = replace(mind.feelings.needs, food=7.8)
    assert needs.news(mind, MORNING) == []
    mind.feelings.needs = replace(mind.feelings.needs, food=7.4)
    assert len(needs.news(mind, MORNING)) == 1
