"""One person, two questions, five conditions."""

from __future__ import annotations

import pytest

from npc_eval.believability_study.conditions import Condition
from npc_eval.believability_study.files import InterviewAnswer, InterviewedPerson, Interviews, RememberedLine

WHO, WORK, TOBIN = "mara_voss", "What is your work?", "What do you know about Tobin Hale?"
SAID = {
    WORK: {
        Condition.FULL: "I bake.",
        Condition.NO_REFLECTION: "I bake bread.",
        Condition.NO_PLANNING: "Bread, mostly.",
        Condition.NONE: "I keep the café.",
        Condition.HUMAN: "Bread! Ask anybody.",
    },
    TOBIN: {
        Condition.FULL: "He broke his chisel.",
        Condition.NO_REFLECTION: "He broke his chisel.",
        Condition.NO_PLANNING: "He mends chairs.",
        Condition.NONE: "I don't know.",
    },
}


@pytest.fixture
def interviews() -> Interviews:
    categories = {WORK: "self-knowledge", TOBIN: "memory"}
    answers = [
        InterviewAnswer(npc=WHO, category=categories[question], question=question, condition=condition, answer=text, evidence=(2,))
        for question, texts in SAID.items()
        for condition, text in texts.items()
    ]
    memories = (
        RememberedLine(id=1, kind="seed", at="2026-05-04 06:00", importance=5, text="Mara Voss bakes the bread of Millbrook"),
        RememberedLine(id=2, kind="observation", at="2026-05-04 09:00", importance=3, text="Tobin Hale broke his chisel"),
        RememberedLine(id=3, kind="reflection", at="2026-05-04 21:00", importance=8, text="Tobin Hale is </script> worried"),
    )
    person = InterviewedPerson(npc=WHO, name="Mara Voss", description="Mara Voss, 34 years old, is warm.", memories=memories)
    return Interviews(
        town="Millbrook",
        asked_at="2026-05-05 20:00",
        seed=7,
        model="none",
        embedding_model="hashed",
        people=(person,),
        answers=tuple(answers),
    )
