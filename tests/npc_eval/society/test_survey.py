"""Which answers at the end of a run are claims, and which of them nothing supports."""

from __future__ import annotations

import pytest

from npc_eval.society import survey
from npc_eval.society.measures import Life
from npc_eval.society.survey import Survey, SurveyQuestion, questions
from tests.npc_eval.society.conftest import STORY

READ = Survey("Did you hear of the {what}?", (), ("no", "don't", "never"), ("yes", "of course"), {})


@pytest.mark.parametrize(
    ("answer", "affirmed"),
    [
        ("Yes, I was there.", True),
        ("The circus was lovely.", True),
        ("I don't know of any circus.", False),
        ("No circus came.", False),
        ("The weather is fine.", False),
        ("", False),
    ],
)
def test_an_answer_affirms_when_it_says_yes_or_names_the_thing_and_does_not_deny(answer: str, affirmed: bool) -> None:
    assert survey.affirms(answer, ("circus",), READ.deny, READ.claim) is affirmed


def test_a_claim_without_a_memory_is_made_up_and_one_with_a_memory_is_not(lives: list[Life]) -> None:
    asked = [SurveyQuestion("Did you hear of the party?", ("party",)), SurveyQuestion("Did you hear of the circus?", ("circus",))]
    answers = {
        ("ben", asked[0].text): "Yes, the party on Monday.",
        ("cid", asked[0].text): "There was a party.",
        ("ben", asked[1].text): "Of course!",
        ("cid", asked[1].text): "No.",
    }
    found = survey.made_up(asked, answers, lives, READ)
    assert found.asked == 4
    assert [(it.npc, it.answer) for it in found.unsupported] == [("ben", "Of course!")]


def test_events_that_never_happen_are_asked_of_too() -> None:
    asked = questions([STORY])
    assert next(question.text for question in asked) == "Did you hear of the party?"
    assert len(asked) == 3


def test_where_no_story_is_told_nothing_is_asked() -> None:
    assert questions([]) == []
