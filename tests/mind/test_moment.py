from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from npc_server.clock import DAY, HOUR, MINUTE
from npc_server.cognition import own_deeds
from npc_server.mind.mind import Mind
from npc_server.mind.moment import moment
from npc_server.records import PlanLevel, PlanOrigin, PlanStep
from tests.minds import MORNING

MakeMind = Callable[..., Mind]
COUNTER = "millbrook:cafe:dining_room:counter"


def plans(mind: Mind, hour: int, text: str, origin: PlanOrigin = PlanOrigin.PLANNED, day: int = 0) -> None:
    start = MORNING + day * DAY + hour * HOUR
    mind.add_steps([PlanStep("mara_voss", 0, PlanLevel.HOUR, 0, start, start + HOUR, text, origin=origin)])


def test_the_next_things_are_few_and_whole(make_mind: MakeMind) -> None:
    mind = make_mind()
    for hour, text in enumerate(("bake", "serve", "eat", "rest", "walk")):
        plans(mind, hour, text)
    assert moment(mind, MORNING + MINUTE).next == "07:00 serve, 08:00 eat, 09:00 rest"


def test_in_the_evening_tomorrows_first_duty_is_told(make_mind: MakeMind) -> None:
    mind = make_mind()
    plans(mind, 13, "eat supper")
    assert moment(mind, MORNING + 12 * HOUR).next == "19:00 eat supper, tomorrow 07:00 work at the café"
    plans(mind, 0, "meet Tobin at the pond", PlanOrigin.AGREED, day=1)
    assert moment(mind, MORNING + 14 * HOUR).next == "tomorrow 06:10 meet Tobin at the pond"
    assert moment(mind, MORNING).next == "19:00 eat supper"


def test_a_private_talk_is_known_as_one(make_mind: MakeMind) -> None:
    mind = make_mind()
    assert moment(mind, MORNING, ["tobin_hale"], present=[]).alone
    assert not moment(mind, MORNING, ["tobin_hale"], present=["ines_calder"]).alone
    assert not moment(mind, MORNING, ["tobin_hale"]).alone, "it is not known who stands by"


def test_what_the_prompt_says_anyway_is_not_told_of_the_day(make_mind: MakeMind) -> None:
    mind = make_mind()
    plans(mind, 1, "serve customers")
    for sentence, start in (("Mara is baking bread", 60), ("Mara is serving customers", 65)):
        own_deeds.begin(mind, sentence, COUNTER, MORNING + start * MINUTE)
        own_deeds.arrive(mind, MORNING + start * MINUTE)
        own_deeds.end(mind, MORNING + (start + 4) * MINUTE)
    own_deeds.begin_talk(mind, ["tobin_hale"], COUNTER, MORNING + 70 * MINUTE)
    (line,) = moment(mind, MORNING + 71 * MINUTE, ["tobin_hale"]).today
    assert line == "07:00-07:04 at the dining room in the Kettle Café: baking bread"


@pytest.mark.parametrize(
    ("place", "sentence"),
    [
        ("millbrook:mara_house:bedroom", "You have never met Ada before. Nobody may be here but you."),
        ("millbrook:tobin_house:kitchen", "You have never met Ada before. Nobody may be here but Tobin Hale."),
        ("millbrook:cafe:kitchen", "You have never met Ada before. Nobody may be here but you."),
        ("millbrook:cafe:dining_room", "You have never met Ada before."),
        ("", "You have never met Ada before."),
    ],
)
def test_a_stranger_in_a_private_place_is_told_of_as_one(make_mind: MakeMind, place: str, sentence: str) -> None:
    assert moment(make_mind(), MORNING, ["Ada"], place=place).met == [sentence]


def test_who_is_known_or_may_be_there_is_no_intruder(make_mind: MakeMind) -> None:
    mind = make_mind()
    assert moment(mind, MORNING, ["tobin_hale"], place="millbrook:mara_house:bedroom").met == []
    mind.persona = replace(mind.persona, relations=())
    assert moment(mind, MORNING, ["tobin_hale"], place="millbrook:tobin_house:kitchen").met == ["You have never met Tobin Hale before."]
