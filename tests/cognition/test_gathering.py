"""What somebody does at an appointment that lasts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from npc_server.clock import HOUR, MINUTE
from npc_server.cognition import gathering
from npc_server.mind.mind import Mind
from npc_server.records import PlanLevel, PlanOrigin, PlanStatus, PlanStep
from tests.cognition.gossip import knows
from tests.minds import MORNING

MakeMind = Callable[..., Mind]
CAFE = "millbrook:cafe"


def party(address: str = CAFE, text: str = "going to the party") -> PlanStep:
    return PlanStep("mara_voss", 7, PlanLevel.HOUR, 0, MORNING, MORNING + 2 * HOUR, text, address, origin=PlanOrigin.AGREED)


async def test_a_party_is_attended_and_its_place_is_used_in_turn(make_mind: MakeMind) -> None:
    mind, hour = make_mind(), party()
    found = gathering.steps(mind, hour, hour.start, hour.end)
    longest = mind.settings.step_minutes_max * MINUTE
    assert [(it.start, it.end) for it in found] == [(at, at + longest) for at in range(hour.start, hour.end, longest)]
    assert {it.address for it in found} == {CAFE}
    assert found[0].text == "going to the party"
    assert {it.text for it in found[2::2]} == {"attending the party"}
    actions = {action.name for node in mind.world.below(CAFE) for action in node.actions}
    assert len({it.text for it in found[1::2]} & actions) > 1, "several things that the place offers"
    assert all(it.sentence.startswith("Mara is ") and it.emoji for it in found[1:]), "ready, so that no model is asked"


async def test_guests_do_not_all_do_the_same_at_the_same_time(make_mind: MakeMind) -> None:
    hour, doing = party(), set()
    for seed in range(8):
        mind = make_mind()
        mind.seed = seed
        doing.add(gathering.steps(mind, hour, hour.start, hour.end)[1].text)
    assert len(doing) > 1


@pytest.mark.parametrize(("hour", "minutes"), [(party("nowhere:at_all"), 120), (party(), 30)])
async def test_where_nothing_is_offered_or_time_is_short_it_is_one_step(make_mind: MakeMind, hour: PlanStep, minutes: int) -> None:
    (only,) = gathering.steps(make_mind(), hour, hour.start, hour.start + minutes * MINUTE)
    assert (only.text, only.end) == (hour.text, hour.start + minutes * MINUTE)


async def test_what_was_agreed_to_be_done_together_is_done(make_mind: MakeMind) -> None:
    hour = party(text="pacing out the long tables with Tobin")
    assert [it.text for it in gathering.steps(make_mind(), hour, hour.start, hour.end)] == [hour.text]


async def held(mind: Mind, *, came: bool = True, text: str = "going to the party") -> PlanStep:
    """A party of two hours in the plan, whose steps are over."""
    (hour,) = mind.add_steps([party(text=text)])
    for step in mind.add_steps(gathering.steps(mind, hour, hour.start, hour.end)):
        mind.update_step(replace(step, status=PlanStatus.DONE if came else PlanStatus.DROPPED))
    return hour


async def test_who_was_at_a_party_remembers_it_once_and_with_whom(make_mind: MakeMind) -> None:
    mind = make_mind()
    mind.people.names |= {"ines_calder": "Ines Calder", "ada_brook": "Ada Brook"}
    hour = await held(mind)
    counter, pond = "millbrook:cafe:dining_room:counter", "millbrook:green"
    for name, place, at in (("Tobin Hale", counter, 5), ("Ines Calder", pond, 6), ("Ada Brook", counter, 200), ("Tobin Hale", counter, 7)):
        await knows(mind, f"{name} is laughing", 2, triples=[(name, "is", "laughing")], address=place, at=hour.start + at * MINUTE)
    assert await gathering.remember(mind, hour.end - MINUTE) == []
    ((memory, guests),) = await gathering.remember(mind, hour.end)
    assert memory.text == "Mara was at the party with Tobin."
    assert guests == ["tobin_hale"], "those who were seen there then"
    assert await gathering.remember(mind, hour.end + MINUTE) == []


async def test_who_gave_a_party_remembers_who_came(make_mind: MakeMind) -> None:
    mind = make_mind()
    hour = await held(mind, text="giving the party")
    await knows(mind, "Tobin Hale is laughing", 2, triples=[("Tobin Hale", "is", "laughing")], address=CAFE, at=hour.start + MINUTE)
    ((memory, _),) = await gathering.remember(mind, hour.end)
    assert memory.text == "Mara was host at the party, and Tobin came."


async def test_who_did_not_come_remembers_no_party(make_mind: MakeMind) -> None:
    mind = make_mind()
    hour = await held(mind, came=False)
    assert await gathering.remember(mind, hour.end) == []
    assert mind.stream.latest(1) == []
