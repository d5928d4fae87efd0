from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from npc_server.cognition import claims
from npc_server.cognition.importance import AT_ONCE, catch_up
from npc_server.english.text import TOLD, TOLD_OF_OCCASION
from npc_server.instinct import talk_over
from npc_server.llm.scripted import ScriptedEngine
from npc_server.mind import appointments
from npc_server.mind.mind import Mind
from npc_server.records import Line, MemorySource
from tests.cognition.gossip import GOSSIP, PARTY, talk
from tests.minds import MORNING

MakeMind = Callable[..., Mind]


async def test_a_claim_that_is_known_already_is_not_kept_twice(make_mind: MakeMind) -> None:
    mind = make_mind()
    assert len(await claims.believe(mind, "tobin_hale", ["The mill is sold", "the mill is SOLD"], GOSSIP, MORNING)) == 1
    assert not await claims.believe(mind, "ines_calder", ["THE MILL IS SOLD"], GOSSIP, MORNING)
    assert [(m.text, m.source_person) for m in mind.stream.latest(9)] == [("The mill is sold", "tobin_hale")]


async def test_a_claim_is_of_an_occasion_if_its_line_is(make_mind: MakeMind) -> None:
    mind = make_mind()
    lines = (
        Line("tobin_hale", "I was at the fair.", MORNING, ("Tobin was at the fair.",), of_occasion=True),
        Line("tobin_hale", "Ada was at the shop.", MORNING, ("Ada was at the shop.",)),
        Line("mara_voss", "So was I, at the pond.", MORNING, ("Tobin was at the pond.",), of_occasion=True),
    )
    said = ["Tobin was at the fair.", "Ada was at the shop.", "Tobin was at the pond."]
    made = await claims.believe(mind, "tobin_hale", said, replace(GOSSIP, lines=lines), MORNING)
    assert [memory.predicate for memory in made] == [TOLD_OF_OCCASION, TOLD, TOLD]


async def test_a_single_claim_is_no_reason_to_ask_how_much_it_matters(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({"importance": ["9\n" * AT_ONCE]})
    mind = make_mind(engine)
    for number in range(AT_ONCE):
        assert engine.requests == []
        await claims.believe(mind, "tobin_hale", [f"The comet of number {number} wants a word with the mayor"], GOSSIP, MORNING)
        await catch_up(mind, MORNING)
    assert len(engine.requests) == 1
    assert {memory.importance for memory in mind.stream.latest(AT_ONCE)} == {9}


async def test_who_hears_of_a_party_from_a_friend_goes_though_it_was_known(make_mind: MakeMind) -> None:
    mind = make_mind()
    await claims.believe(mind, "somebody", [PARTY], GOSSIP, MORNING)
    assert not appointments.coming(mind, MORNING)
    assert not await claims.believe(mind, "tobin_hale", [PARTY], GOSSIP, MORNING)
    assert len(appointments.coming(mind, MORNING)) == 1


@pytest.mark.parametrize(
    ("line", "tells"),
    [
        ("I am afraid I do not know.", False),
        ("I don't know, nobody told me.", False),
        ("The mill is burning!", True),
        ("Morning, pet. Have you eaten?", False),
        ("I'm afraid the mill is burning.", True),
    ],
)
async def test_that_somebody_does_not_know_is_nothing_to_remember(make_mind: MakeMind, line: str, tells: bool) -> None:
    assert await talk_over.talk_claims(make_mind(), talk(("tobin_hale", line)), "tobin_hale") == [line] * tells


async def test_of_a_models_line_only_what_matters_is_kept(make_mind: MakeMind) -> None:
    line = "Good morning, pet. Is it official? The mill is burning! We can't complain."
    assert await talk_over.talk_claims(make_mind(), talk(("tobin_hale", line)), "tobin_hale") == ["The mill is burning!"]


async def test_what_a_player_claims_is_kept_as_that_players_claim(make_mind: MakeMind) -> None:
    mind = make_mind()
    (memory,) = await claims.believe(mind, "Ada", ['Ada said: "I am the queen of Millbrook"'], talk(people=("Ada", "mara_voss")), MORNING)
    assert (memory.source, memory.source_person, memory.subject) == (MemorySource.TOLD, "Ada", "Ada")


async def test_people_sleep_through_no_appointment_they_know_they_would_sleep_through(make_mind: MakeMind) -> None:
    mind = make_mind()
    assert not claims.follow(mind, "Tobin Hale meets everybody at the Kettle Café tomorrow at 23:30", "tobin_hale", MORNING)
    assert not appointments.coming(mind, MORNING)


async def test_who_is_busy_at_that_hour_already_does_not_go(make_mind: MakeMind) -> None:
    mind = make_mind()
    assert claims.follow(mind, PARTY, "tobin_hale", MORNING)
    assert not claims.follow(mind, "Tobin Hale plays the piano at the village green on Tuesday at 18:00", "tobin_hale", MORNING)
    assert len(appointments.coming(mind, MORNING)) == 1


async def test_to_a_strangers_party_nobody_goes_and_to_a_friends_everybody_who_is_free(make_mind: MakeMind) -> None:
    for i in range(10):
        mind, text = make_mind(), f"Uncle {i} gives a party at the Kettle Café on Tuesday at 17:00"
        assert not claims.follow(mind, text, "somebody", MORNING)
        assert claims.follow(mind, text, "tobin_hale", MORNING)


async def test_what_others_tell_moves_nobody_for_whom_a_model_speaks(make_mind: MakeMind) -> None:
    for engine, goes in ((None, 1), (ScriptedEngine({"importance": ["4"]}), 0)):
        mind = make_mind(engine)
        assert await claims.believe(mind, "tobin_hale", [PARTY], GOSSIP, MORNING)
        assert len(appointments.coming(mind, MORNING)) == goes
