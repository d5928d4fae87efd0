from __future__ import annotations

from collections.abc import Callable

from npc_server.clock import DAY, HOUR, MINUTE
from npc_server.cognition import own_deeds
from npc_server.mind.mind import Mind
from npc_server.mind.today import only_deeds, shortened, today_so_far
from tests.minds import MORNING

MakeMind = Callable[..., Mind]
OVEN = "millbrook:cafe:kitchen:oven"
COUNTER = "millbrook:cafe:dining_room:counter"


async def do(mind: Mind, sentence: str, address: str, start: int, end: int) -> None:
    own_deeds.begin(mind, sentence, address, start)
    own_deeds.arrive(mind, start)
    own_deeds.end(mind, end)
    await own_deeds.remember(mind, end + HOUR)


async def test_today_is_told_from_the_first_deed_to_what_goes_on_now(make_mind: MakeMind) -> None:
    mind = make_mind()
    await do(mind, "Mara is baking bread", OVEN, MORNING + HOUR, MORNING + HOUR + 20 * MINUTE)
    await do(mind, "Mara is serving customers", COUNTER, MORNING + 2 * HOUR, MORNING + 2 * HOUR + 30 * MINUTE)
    own_deeds.begin_talk(mind, ["tobin_hale"], COUNTER, MORNING + 4 * HOUR)
    assert today_so_far(mind, MORNING + 4 * HOUR + MINUTE) == [
        "Mara, 07:00-07:20 at the kitchen in the Kettle Café: baking bread",
        "Mara, 08:00-08:30 at the dining room in the Kettle Café: serving customers",
        "Mara, 10:00-now at the dining room in the Kettle Café: talking with Tobin Hale",
    ]


async def test_what_was_done_yesterday_is_no_part_of_today(make_mind: MakeMind) -> None:
    mind = make_mind()
    await do(mind, "Mara is baking bread", OVEN, MORNING + HOUR, MORNING + 2 * HOUR)
    assert today_so_far(mind, MORNING + DAY + HOUR) == []


def test_who_is_on_the_way_is_not_said_to_do_it_yet(make_mind: MakeMind) -> None:
    mind = make_mind()
    own_deeds.begin(mind, "Mara is baking bread", OVEN, MORNING + HOUR)
    assert today_so_far(mind, MORNING + HOUR + MINUTE) == [
        "Mara, 07:00-now at the kitchen in the Kettle Café: baking bread (on the way there)"
    ]


def test_what_was_left_and_taken_up_again_is_named_once(make_mind: MakeMind) -> None:
    mind = make_mind()
    for start, sentence in enumerate(("Mara is baking bread", "Mara is wiping the table", "Mara is baking bread")):
        own_deeds.begin(mind, sentence, OVEN, MORNING + HOUR + start * MINUTE)
        own_deeds.arrive(mind, MORNING + HOUR + start * MINUTE)
    assert today_so_far(mind, MORNING + HOUR + 5 * MINUTE) == [
        "Mara, 07:00-now at the kitchen in the Kettle Café: baking bread; wiping the table"
    ]


def test_a_talk_that_was_only_planned_is_not_told_as_one(make_mind: MakeMind) -> None:
    mind = make_mind()
    own_deeds.begin(mind, "Mara is having a word with Tobin about the mill", COUNTER, MORNING + HOUR, ["tobin_hale"])
    own_deeds.arrive(mind, MORNING + HOUR)
    own_deeds.end(mind, MORNING + HOUR + 5 * MINUTE)
    (line,) = today_so_far(mind, MORNING + HOUR + 5 * MINUTE)
    assert line.endswith("having a word with Tobin about the mill (did not talk with Tobin)")
    own_deeds.begin_talk(mind, ["tobin_hale"], COUNTER, MORNING + HOUR + 5 * MINUTE)
    (line,) = today_so_far(mind, MORNING + HOUR + 6 * MINUTE)
    assert line.endswith("having a word with Tobin about the mill; talking with Tobin Hale")


def test_who_only_thinks_of_somebody_has_missed_no_talk(make_mind: MakeMind) -> None:
    mind = make_mind()
    own_deeds.begin(mind, "Mara is rehearsing a quarrel with Tobin", COUNTER, MORNING + HOUR)
    own_deeds.arrive(mind, MORNING + HOUR)
    own_deeds.end(mind, MORNING + HOUR + 5 * MINUTE)
    (line,) = today_so_far(mind, MORNING + HOUR + 5 * MINUTE)
    assert line.endswith("rehearsing a quarrel with Tobin")


async def test_all_talks_of_a_visit_are_named_together(make_mind: MakeMind) -> None:
    mind = make_mind()
    for start, others in enumerate((["tobin_hale"], ["bob"], ["tobin_hale"])):
        own_deeds.begin(mind, "Mara is baking bread", OVEN, MORNING + HOUR + 2 * start * MINUTE)
        own_deeds.arrive(mind, MORNING + HOUR + 2 * start * MINUTE)
        own_deeds.begin_talk(mind, others, OVEN, MORNING + HOUR + (2 * start + 1) * MINUTE)
    own_deeds.end(mind, MORNING + HOUR + 6 * MINUTE)
    (line,) = today_so_far(mind, MORNING + HOUR + 7 * MINUTE)
    assert line.endswith("baking bread; talking with Tobin Hale and bob")


def test_a_long_line_keeps_the_last_place_and_what_was_done_first_and_last_there() -> None:
    line = "Mara, 07:00-07:20 at the oven: baking. 07:20-08:00 at the counter: serving; wiping the table; selling rolls; counting the till"
    assert shortened(line, 200) == line
    assert shortened(line, 60) == "07:20-08:00 at the counter: serving; …; counting the till"


def test_a_long_line_of_what_was_done_loses_earlier_places_first_and_never_mixes_them_up() -> None:
    visits = (
        "07:01-07:15 at the bathroom in Ines's house: washing. 07:25-07:45 at the kitchen in Ines's house: eating an egg; washing the plate"
    )
    assert shortened(visits, 160) == visits
    more = f"{visits}. 07:50-08:00 at the sales room in Calder's shop: unbolting the door; counting the float; sweeping the step"
    assert (
        shortened(more, 160) == "07:50-08:00 at the sales room in Calder's shop: unbolting the door; counting the float; sweeping the step"
    )
    hour = "08:00-09:00 at the kitchen: " + "; ".join(f"deed number {number} of many" for number in range(10))
    assert shortened(hour, 160).startswith("08:00-09:00 at the kitchen: deed number 0 of many; …; deed number ")
    assert shortened(hour, 160).endswith("deed number 9 of many")
    assert len(shortened(hour, 160)) <= 160


def test_a_line_without_places_has_each_deed_once() -> None:
    line = "06:10-07:00 at the kitchen in the bakery: kneading the dough; baking bread. 07:00-now at the shop: serving; baking bread"
    assert only_deeds(line) == "06:10-now: kneading the dough; baking bread; serving"
    assert only_deeds("nothing of the kind") == "nothing of the kind"
