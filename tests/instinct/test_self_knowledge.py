"""What anybody can say of themselves, of others and of places, without a model and without looking through memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from npc_server.clock import parse_datetime
from npc_server.instinct import answering, phrases, self_knowledge
from npc_server.mind.mind import Mind
from npc_server.personas.schema import Relation
from npc_server.records import MemoryKind, MemorySource, PlanLevel, PlanStep
from tests.minds import MORNING

MakeMind = Callable[..., Mind]
PHRASES = (
    "Mara Voss bakes the bread of Millbrook, which her aunt left her",
    "Mara has told nobody about the offer",
    "Mara loves the sea",
    "Mara wants to see long tables on the green",
    "Mara learned to bake from her grandmother",
)


@pytest.fixture
def mind(make_mind: MakeMind) -> Mind:
    found = make_mind()
    found.persona = replace(
        found.persona,
        identity_phrases=PHRASES,
        currently="Mara is planning a supper. She is tired.",
        relations=(Relation("tobin_hale", "neighbour, and the first friend she had", "Mara trusts Tobin as she would a father.", 7),),
    )
    return found


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who are you?", "I am Mara Voss. I bake the bread of Millbrook."),
        ("Might I ask what your name is? Tell me who you are.", "I am Mara Voss. I bake the bread of Millbrook."),
        ("And who are you, sir?", "I am Mara Voss. I bake the bread of Millbrook."),
        ("Who are you looking for?", ""),
        ("Tell me about yourself.", "I am Mara Voss. I bake the bread of Millbrook. I love the sea."),
        ("What do you do for a living?", "I bake the bread of Millbrook."),
        ("How old are you?", "I am 34."),
        ("What is on your mind?", "I am planning a supper."),
        ("What do you want most in life?", "I want to see long tables on the green."),
        ("What do you like to do?", "I love the sea."),
        ("Do you have any family?", "I learned to bake from my grandmother."),
        ("Do you know Tobin?", "Yes. Tobin Hale is my neighbour. I trust Tobin."),
        ("Who is Tobin Hale?", "Tobin Hale is my neighbour. I trust Tobin."),
        ("Who is Rosalind?", ""),
        ("What's new?", ""),
        ("Where is the moon?", ""),
        ("Who has the spare key?", ""),
        ("", ""),
    ],
)
def test_oneself_and_those_one_knows_are_told_of_in_the_first_person(mind: Mind, question: str, answer: str) -> None:
    assert self_knowledge.answer(mind, question, "Ada", MORNING) == answer


async def test_news_are_told_when_there_are_any(mind: Mind) -> None:
    await mind.remember(["The old mill is burning"], kind=MemoryKind.OBSERVATION, at=MORNING - 60, importance=[8], source=MemorySource.SEEN)
    assert self_knowledge.answer(mind, "What's new?", "Ada", MORNING) == "The old mill is burning."


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
    for question in ("Where is Tobin now?", "Where did you see Tobin?", "When have you last seen Tobin Hale?"):
        told = self_knowledge.answer(mind, question, "Ada", MORNING)
        assert told == f"I last saw Tobin Hale 2 hours ago, near {mind.world.describe(kitchen)}."


def test_a_place_one_knows_is_told_by_its_whole_name_or_the_last_word_of_it(mind: Mind) -> None:
    known = [address for address in mind.known.addresses() if address in mind.world]
    node = mind.world.node(max(known, key=len))
    told = self_knowledge.answer(mind, f"Excuse me, where is the {node.name.split()[-1]}?", "Ada", MORNING)
    assert told.endswith(".")
    assert " is in " in told
    assert node.name in told


def test_what_one_is_at_is_the_step_of_the_plan(mind: Mind) -> None:
    mind.add_steps([PlanStep(mind.npc, 0, PlanLevel.STEP, 0, MORNING, MORNING + 900, "knead the dough")])
    assert self_knowledge.answer(mind, "What are you doing?", "Ada", MORNING) == "I am kneading the dough."


def test_how_one_is_has_a_usual_answer(mind: Mind) -> None:
    assert self_knowledge.answer(mind, "Are you hungry?", "Ada", MORNING) in phrases.lines("fine")


async def test_the_secrets_of_a_persona_are_told_to_nobody(mind: Mind) -> None:
    await mind.remember(list(PHRASES), kind=MemoryKind.SEED, at=MORNING - 60, importance=[6] * 5, source=MemorySource.KNOWN)
    for question in ("What about the offer?", "Did you get an offer?", "Is there an offer for the café?", "Tell me about the offer."):
        assert "offer" not in answering.answer(mind, question, "Ada", MORNING)


async def test_what_one_made_up_ones_mind_to_do_is_told_and_what_was_long_ago_is_not(mind: Mind) -> None:
    assert self_knowledge.answer(mind, "What are your plans?", "Ada", MORNING) == self_knowledge.answer(
        mind, "What is on your mind?", "Ada", MORNING
    )
    intended = {"kind": MemoryKind.INTENTION, "importance": [8], "source": MemorySource.THOUGHT}
    await mind.remember(["I want to sell the mill"], at=MORNING - 3600, **intended)  # type: ignore[arg-type]
    for question in ("What do you want to do?", "What are your plans?", "What do you intend to do?"):
        assert self_knowledge.answer(mind, question, "Ada", MORNING) == "I want to sell the mill."
    later = MORNING + self_knowledge.INTENTION_AGE
    assert self_knowledge.answer(mind, "What are your plans?", "Ada", later) != "I want to sell the mill."


@pytest.mark.parametrize(
    "phrase",
    [
        "Mara has never told anyone why she left",
        "Mara hides the letters",
        "Tobin does not know whose they are",
        "Mara is ashamed of the debt",
    ],
)
def test_what_a_file_keeps_back_in_other_words_is_kept_back_too(mind: Mind, phrase: str) -> None:
    mind.persona = replace(mind.persona, identity_phrases=("Mara Voss bakes the bread of Millbrook", phrase))
    assert self_knowledge.answer(mind, "Tell me about yourself.", "Ada", MORNING) == "I am Mara Voss. I bake the bread of Millbrook."


@pytest.mark.parametrize(
    ("at", "told"),
    [("10:00", "ten"), ("10:08", "a quarter past ten"), ("10:30", "half past ten"), ("12:50", "a quarter to one"), ("00:02", "twelve")],
)
def test_the_hour_is_told_as_people_do(mind: Mind, at: str, told: str) -> None:
    now = parse_datetime(f"2026-05-04 {at}")
    assert self_knowledge.answer(mind, "What time is it?", "Ada", now) == f"It is about {told}."
    assert self_knowledge.answer(mind, "What day is it today?", "Ada", now) == "It is Monday 4 May."


def test_a_relation_is_said_without_its_owner(mind: Mind) -> None:
    mind.persona = replace(mind.persona, relations=(Relation("tobin_hale", "her husband", "", 9),))
    assert self_knowledge.answer(mind, "Who is Tobin Hale?", "Ada", MORNING) == "Tobin Hale is my husband."
