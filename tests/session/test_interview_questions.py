from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from npc_server.errors import FileProblem
from npc_server.mind.mind import Mind
from npc_server.records import Document
from npc_server.session import interview_questions

MakeMind = Callable[..., Mind]
CATEGORIES = ("self-knowledge", "memory", "plans", "reactions", "reflections")
GOOD = "\n".join(f"{category}: [Who are you?]" for category in CATEGORIES)


def test_there_are_five_questions_in_each_of_the_five_categories_and_none_twice() -> None:
    found = interview_questions.load_questions()
    assert Counter(question.category for question in found) == dict.fromkeys(CATEGORIES, 5)
    assert len({question.text for question in found}) == 25
    used = {name for question in found for name in interview_questions.PLACEHOLDERS if f"{{{name}}}" in question.text}
    assert used == set(interview_questions.PLACEHOLDERS)


def test_people_and_places_are_drawn_from_the_town_the_same_every_time(make_mind: MakeMind) -> None:
    mind = make_mind()
    asked = interview_questions.for_person(interview_questions.load_questions(), mind)
    assert asked == interview_questions.for_person(interview_questions.load_questions(), make_mind())
    assert not any("{" in question.text for question in asked)
    assert any("Tobin Hale" in question.text for question in asked)
    assert not any("Mara" in question.text for question in asked)
    places = [question.text for question in asked if question.text.startswith(("At ", "You agreed"))]
    assert all("house" not in text for text in places)


def test_somebody_one_has_no_relation_with_is_a_stranger(make_mind: MakeMind) -> None:
    mind = make_mind()
    mind.people.names = {**mind.people.names, "ines_calder": "Ines Calder"}
    (asked,) = interview_questions.for_person([interview_questions.InterviewQuestion("memory", "Do you know {stranger}?")], mind)
    assert asked.text == "Do you know Ines Calder?"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("memory: [Who are you?]", "self-knowledge"),
        (GOOD.replace("Who are you?", "''", 1), "A question is empty"),
        (GOOD.replace("Who are you?", "'Who is {nobody}?'", 1), "'Who is {nobody}?' has a placeholder that is not known. Use {other}"),
        (GOOD + "\nmore: [What?]", "more"),
        ("[]", "interview"),
        ("", "empty"),
    ],
)
def test_what_is_wrong_with_a_file_is_told(text: str, said: str) -> None:
    with pytest.raises(FileProblem) as caught:
        interview_questions.load_questions(Document("interview.yaml", text))
    assert said in str(caught.value)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60))
def test_no_file_breaks_it(text: str) -> None:
    for content in (text, f"memory:\n  - {text}\n", GOOD.replace("Who are you?", text, 1)):
        with suppress(FileProblem):
            assert interview_questions.load_questions(Document("interview.yaml", content))
