"""What a reply of the bank may say of the speaker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from npc_server.bank.exchanges import SLOTS
from npc_server.instinct import line_facts
from npc_server.mind.mind import Mind
from npc_server.records import MemorySource, PlanLevel, PlanStep, Social
from tests.instinct.talking import knows, talk
from tests.minds import MORNING

MakeMind = Callable[..., Mind]


@pytest.fixture
def mind(make_mind: MakeMind) -> Mind:
    return make_mind()


def of(mind: Mind, heard: str) -> dict[str, str]:
    return line_facts.facts(mind, talk().place, heard, "Robin", MORNING)


def plans(mind: Mind, text: str, start: int, minutes: int, level: PlanLevel = PlanLevel.HOUR) -> None:
    begins = MORNING + start * 60
    mind.add_steps([PlanStep(mind.npc, 0, level, 0, begins, begins + minutes * 60, text)])


def test_who_one_is_and_what_one_does_stand_in_the_first_person_without_a_full_stop(mind: Mind) -> None:
    plans(mind, "knead dough", 0, 30)
    plans(mind, "eat breakfast", 60, 30)
    found = of(mind, "hello")
    assert found["me"] == "Mara"
    assert found["age"] == "34"
    assert found["about_me"] == "I bake the bread of Millbrook"
    assert found["i_do"] == "I am kneading dough"
    assert (found["next"], found["next_time"]) == ("eat breakfast", "seven")
    assert (found["time"], found["day"]) == ("six", "Monday")
    assert set(found) <= set(SLOTS)


async def test_a_person_is_found_however_the_name_is_typed_and_told_of_as_the_speaker_sees_them(mind: Mind) -> None:
    found = of(mind, "do u like TOBIN")
    assert found["person"] == "Tobin"
    assert found["person_is"] == "my neighbour"
    assert "person_feeling" not in found  # "She likes": it is not said who
    mind.relationships.social["tobin_hale"] = Social("mara_voss", "tobin_hale", "neighbour", "Mara trusts Tobin.", "", 5, 0, 0)
    assert of(mind, "do u like TOBIN")["person_feeling"] == "I trust Tobin"
    assert "person_seen" not in found
    triple = [("Tobin Hale", "is", "mending a chair")]
    await knows(mind, "Tobin Hale is mending a chair", 2, triples=triple, address="millbrook:lane:square")
    assert of(mind, "where is tobin")["person_seen"].startswith("an hour ago, near")


def test_nobody_is_told_of_where_nobody_or_a_stranger_is_named(mind: Mind) -> None:
    assert "person" not in of(mind, "who is the king?")
    mind.relationships.social["tobin_hale"] = Social("mara_voss", "tobin_hale", "stranger", "", "", 0, 0, 0)
    found = of(mind, "who is tobin hale?")
    assert "person_is" not in found


def test_a_place_is_found_without_its_accents(mind: Mind) -> None:
    found = of(mind, "where's the kettle cafe?")
    assert found["thing"] == "the Kettle Café" or found["thing"] == "Kettle Café"


def test_a_secret_is_not_on_ones_mind(mind: Mind) -> None:
    mind.persona = replace(mind.persona, currently="Mara has told nobody about the offer for the café.")
    assert "on_my_mind" not in of(mind, "what worries you?")


async def test_what_somebody_told_oneself_is_quoted_to_them_alone(mind: Mind) -> None:
    await knows(mind, 'Robin said: "I come from the coast."', 4, source=MemorySource.TOLD, source_person="Robin")
    found = line_facts.facts(mind, talk().place, "hello", "Bea", MORNING)
    assert "told" not in found


def test_names_are_replaced_by_stand_ins_before_meaning_is_compared(mind: Mind) -> None:
    assert line_facts.with_stand_ins(mind, "wheres tobin hale?") == "wheres Tom?"
    assert line_facts.with_stand_ins(mind, "How do I get to the Kettle Cafe?") == "How do I get to the hall?"
    assert line_facts.with_stand_ins(mind, "Nice weather.") == "Nice weather."


def test_a_thing_of_one_word_is_named_with_its_article(mind: Mind) -> None:
    assert line_facts.with_stand_ins(mind, "Off to bed, then?") == "Off to bed, then?"
    assert "thing" not in of(mind, "Off to bed, then?")
    assert line_facts.with_stand_ins(mind, "Who mends the bed?") == "Who mends the hall?"
    assert of(mind, "Who mends the bed?")["thing"] == "the bed"


async def test_news_in_quotation_marks_has_one_full_stop(mind: Mind) -> None:
    await knows(mind, 'Robin said: "The old mill burned down last night."', 8, source=MemorySource.TOLD, source_person="Robin")
    found = line_facts.facts(mind, talk().place, "any news?", "Alice", MORNING)
    assert found["news"].endswith('night"')
