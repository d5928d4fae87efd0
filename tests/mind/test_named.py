from __future__ import annotations

from collections.abc import Callable

from npc_server.mind.mind import Mind
from npc_server.mind.named import others_named, seen_as, without_people
from npc_server.records import Action
from tests.minds import MORNING

MakeMind = Callable[..., Mind]
COUNTER = "millbrook:cafe:dining_room:counter"


def action(sentence: str) -> Action:
    return Action("mara_voss/1", "mara_voss", sentence, COUNTER, "", MORNING, MORNING + 600)


def test_others_see_what_one_does_without_the_name(make_mind: MakeMind) -> None:
    assert seen_as(make_mind(), action("Mara is serving customers.")) == "is serving customers"
    assert seen_as(make_mind(), action("Mara Voss is serving customers")) == "is serving customers"


def test_of_a_planned_talk_others_see_only_where_it_is_to_be(make_mind: MakeMind) -> None:
    seen = seen_as(make_mind(), action("Mara is having a word with Tobin about the mill"))
    assert seen == "is at the counter in the dining room of the Kettle Café"


def test_only_whole_names_of_others_count(make_mind: MakeMind) -> None:
    mind = make_mind()
    assert others_named(mind, "Mara is waiting for Tobin Hale") == ["tobin_hale"]
    assert others_named(mind, "Mara is waiting for Tobin.") == ["tobin_hale"]
    assert others_named(mind, "Mara is shutting the tobine cloth away") == []


def test_an_activity_without_the_people_it_names(make_mind: MakeMind) -> None:
    mind = make_mind()
    assert without_people(mind, "talk with Tobin Hale about Tobin's chair") == "talk with about chair"
    assert without_people(mind, "bake for the tobine") == "bake for the tobine"


def test_nobody_sees_what_somebody_thinks_about(make_mind: MakeMind) -> None:
    assert (
        seen_as(make_mind(), action("Mara is sitting and thinking about this: Tobin's sign is not to be seen")) == "is sitting and thinking"
    )


def test_a_family_name_alone_is_a_persons_name_too(make_mind: MakeMind) -> None:
    assert without_people(make_mind(), "mend old Hale's boat") == "mend old boat"
