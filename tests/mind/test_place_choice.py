"""Which places a prompt offers: those that are named, own ones, and the likeliest."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from npc_server.mind import surroundings
from npc_server.mind.mind import Mind
from npc_server.mind.place_choice import named_in
from npc_server.mind.places import short
from npc_server.world.tree import World
from tests.minds import MORNING

MakeMind = Callable[..., Mind]
HOME = "millbrook:mara_house:bedroom:bed"


async def offered(mind: Mind, activity: str, here: str = HOME, count: int = 6) -> list[str]:
    mind.settings = mind.settings.model_copy(update={"places_offered": count})
    return [short(mind.world, address) for address in await surroundings.best_places(mind, activity, here, "", MORNING)]


@pytest.mark.parametrize("activity", ["closing the café for the night", "Locking up the Kettle Café", "the CAFE needs a good scrub"])
async def test_a_place_that_the_activity_names_is_offered_first(make_mind: MakeMind, activity: str) -> None:
    found = await offered(make_mind(), activity)
    assert all(address.startswith("cafe") for address in found[:3])


async def test_where_one_is_works_and_lives_is_always_offered(make_mind: MakeMind) -> None:
    found = await offered(make_mind(), "pondering the pond", here="millbrook:green:pond_side")
    assert any(address.startswith("green:") for address in found)
    assert any(address.startswith("cafe:kitchen") for address in found)
    assert any(address.startswith("mara_house") for address in found)
    assert len(found) == 6


async def test_a_room_that_is_named_counts_for_more_than_the_house_it_is_in(make_mind: MakeMind) -> None:
    found = await offered(make_mind(), "clearing up the kitchen of the café")
    assert found[0].startswith("cafe:kitchen")


def test_names_are_matched_as_whole_words(world: World) -> None:
    known = ["millbrook:cafe", "millbrook:cafe:kitchen:oven", "millbrook:green"]
    assert named_in(world, known, "the ovens are greener") == []
    assert named_in(world, known, "light the oven!") == ["millbrook:cafe:kitchen:oven"]
    assert named_in(world, known, "the Kettle Café, at noon") == ["millbrook:cafe"]


async def test_whom_an_activity_names_does_not_draw_the_places_called_after_them(make_mind: MakeMind) -> None:
    found = await offered(make_mind(), "talk with Tobin Hale about Tobin Hale's bread", here="millbrook:cafe:kitchen", count=7)
    assert not any(address.startswith("workshop") for address in found)
    assert any(address.startswith("workshop") for address in await offered(make_mind(), "having tea at Hale's workshop", count=7))


async def test_the_routine_the_workplace_the_home_and_what_is_near_have_a_place_among_seven(make_mind: MakeMind) -> None:
    mind = make_mind()
    usual = "millbrook:green:lawn:bench"
    addresses = await surroundings.best_places(mind, "fish", "millbrook:lane:square", "", MORNING, usual=[usual])
    found = [short(mind.world, address) for address in addresses]
    assert len(found) == mind.settings.places_offered == 7
    assert "green:pond_side:pond" in found
    for start in ("green:lawn:bench", "lane:square", "cafe:kitchen", "mara_house"):
        assert any(address.startswith(start) for address in found), start
