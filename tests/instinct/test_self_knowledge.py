"""What anybody can say of themselves and of others, in their own words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from npc_server.clock import parse_datetime
from npc_server.instinct import self_knowledge
from npc_server.mind.mind import Mind
from npc_server.records import MemoryKind, MemorySource
from tests.minds import MORNING

MakeMind = Callable[..., Mind]
PHRASES = ("Mara Voss bakes the bread of Millbrook, which her aunt left her", "Mara loves the sea")


@pytest.fixture
def mind(make_mind: MakeMind) -> Mind:
    found = make_mind()
    found.persona = replace(found.persona, identity_phrases=PHRASES, currently="Mara is planning a supper. She is tired.")
    return found


def test_oneself_is_told_of_in_the_first_person_without_unclear_pronouns(mind: Mind) -> None:
    assert self_knowledge.about_me(mind, "Ada") == "I bake the bread of Millbrook."
    assert self_knowledge.on_my_mind(mind, "Ada") == "I am planning a supper."


@pytest.mark.parametrize(
    "phrase",
    [
        "Mara has never told anyone why she left",
        "Mara hides the letters",
        "Tobin does not know whose they are",
        "Mara is ashamed of the debt",
    ],
)
def test_what_a_file_keeps_back_is_not_told(mind: Mind, phrase: str) -> None:
    mind.persona = replace(mind.persona, identity_phrases=(phrase, *PHRASES), currently=phrase)
    mind.identity.currently = ""
    assert self_knowledge.about_me(mind, "Ada") == "I bake the bread of Millbrook."
    assert self_knowledge.on_my_mind(mind, "Ada") == ""


@pytest.mark.parametrize(
    ("fact", "told"),
    [
        ("Mara: The bakery opens at seven", "The bakery opens at seven."),
        ("Mara was courted by Wilf Rook before she married a miller", "I was courted by Wilf Rook."),
        ("Mara looks after Wilf, who says that he looks after her", "I look after Wilf."),
        ("Mara: She carries a pocket knife", ""),
        ("Mara wants to know who will have the farm after her, and worries", ""),
    ],
)
def test_a_fact_of_the_file_is_told_as_far_as_it_is_clear_in_the_first_person(mind: Mind, fact: str, told: str) -> None:
    assert self_knowledge.own_fact(mind, fact, "Ada") == told


async def test_where_somebody_was_seen_last_is_told_with_when(mind: Mind) -> None:
    kitchen = "millbrook:cafe:kitchen"
    await mind.remember(
        ["Tobin Hale is eating soup"],
        kind=MemoryKind.OBSERVATION,
        at=MORNING - 7200,
        importance=[2],
        source=MemorySource.SEEN,
        triples=[("Tobin Hale", "is", "eating soup")],
        address=kitchen,
    )
    assert self_knowledge.last_seen(mind, "tobin_hale", MORNING) == f"2 hours ago, near {mind.world.describe(kitchen)}"
    assert self_knowledge.last_seen(mind, "ines_calder", MORNING) == ""


@pytest.mark.parametrize(
    ("at", "told"),
    [("10:00", "ten"), ("10:08", "a quarter past ten"), ("10:30", "half past ten"), ("12:50", "a quarter to one"), ("00:02", "twelve")],
)
def test_the_hour_is_told_as_people_do(at: str, told: str) -> None:
    assert self_knowledge.time_in_words(parse_datetime(f"2026-05-04 {at}")) == told


@pytest.mark.parametrize(("relation", "told"), [("neighbour, and the first friend she had", "neighbour"), ("her husband", "husband")])
def test_a_relation_is_said_without_what_the_file_adds(relation: str, told: str) -> None:
    assert self_knowledge.plain_relation(relation) == told
