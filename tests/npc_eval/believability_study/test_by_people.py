from __future__ import annotations

import pytest

from npc_eval.believability_study.by_people import template, with_human_answers
from npc_eval.believability_study.conditions import Condition
from npc_eval.believability_study.files import Interviews
from npc_server.errors import FileProblem
from npc_server.records import Document
from tests.npc_eval.believability_study.conftest import TOBIN, WHO, WORK


def human(text: str) -> Document:
    return Document("human.yaml", text)


def written(interviews: Interviews) -> dict[str, str]:
    return {it.question: it.answer for it in interviews.answers if it.condition is Condition.HUMAN}


def test_the_template_tells_the_life_and_takes_every_question(interviews: Interviews) -> None:
    text = template(interviews)
    assert "# Mara Voss, asked on 2026-05-05 20:00" in text
    assert "# - 2026-05-04 09:00 (observation) Tobin Hale broke his chisel" in text
    with pytest.raises(FileProblem, match="No question is answered in it"):
        with_human_answers(interviews, human(text))
    filled = with_human_answers(interviews, human(text.replace(f'"{TOBIN}": ""', f'"{TOBIN}": "A joker:\n      he mends."')))
    assert written(filled) == {TOBIN: "A joker: he mends."}


def test_answers_take_the_place_of_earlier_ones_and_leave_the_other_conditions(interviews: Interviews) -> None:
    filled = with_human_answers(interviews, human(f'answers:\n  {WHO}:\n    "{WORK}": Baking.\n    "{TOBIN}": ""\n'))
    assert written(filled) == {WORK: "Baking."}
    others = [it for it in interviews.answers if it.condition is not Condition.HUMAN]
    assert [it for it in filled.answers if it.condition is not Condition.HUMAN] == others
    assert filled.people == interviews.people


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("answers: {mara_vos: {}}", "human.yaml:1: Nobody of the id 'mara_vos' was asked. Did you mean 'mara_voss'?"),
        (
            f'answers:\n  {WHO}:\n    "What is your name?": Mara',
            "human.yaml:3: 'mara_voss' was not asked 'What is your name?'. Did you mean",
        ),
        (f'answers:\n  {WHO}:\n    "{WORK}": [one, two]', "human.yaml:3"),
        (f"answers:\n  {WHO}: yes", "human.yaml:2"),
        ("answer: {}", "Key 'answer' is not known. Did you mean 'answers'?"),
        ("", "empty"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(interviews: Interviews, text: str, said: str) -> None:
    with pytest.raises(FileProblem) as caught:
        with_human_answers(interviews, human(text))
    assert said in str(caught.value)
