from __future__ import annotations

from collections.abc import Callable

import pytest

from npc_server.cognition import founded, interview
from npc_server.cognition.mind import Mind
from npc_server.llm.scripted import ScriptedEngine
from npc_server.records import MemoryKind, MemorySource, Source
from tests.cognition.conftest import MORNING

MakeMind = Callable[..., Mind]
LINES = ["Old Perrin sold the grey mule to a tinker", "Wenna mends nets at the boathouse", "The mule was born in the year of the flood"]
MULE = "Where is the grey mule now?"


def fact(mind: Mind, question: str) -> founded.Fact:
    found = founded.after_a_fact(mind, question, "somebody")
    assert found is not None
    return found


@pytest.mark.parametrize(
    "question",
    [
        "What would you do in a fire?",
        "Why did Perrin sell the mule?",
        "Who do you like best?",
        "Tell me about Perrin.",
        "Where should we meet?",
    ],
)
def test_what_somebody_would_do_likes_or_means_is_no_fact(make_mind: MakeMind, question: str) -> None:
    assert founded.after_a_fact(make_mind(ScriptedEngine({})), question, "somebody") is None


@pytest.mark.parametrize(
    ("question", "reply", "made_up"),
    [
        ("What is the name of the mule?", "Wenna.", True),
        ("How old is the tinker?", "I'm 36.", True),
        ("Who stole the mule?", "The mule was born.", True),
        ("Who stole the mule?", "I don't know.", False),
        ("Who stole the mule?", "Bah. How should I know? Ask somebody else.", False),
        ("Who has the grey mule now?", "A tinker, as far as I know.", False),
        ("Who has the grey mule now?", "Old Perrin sold it to a tinker. Why do you want to know?", False),
        ("When was the mule born?", "In the year of the flood.", False),
        ("When was the mule born?", "At the boathouse, on Monday.", True),
    ],
)
def test_an_answer_to_a_question_after_a_fact_rests_on_a_line_that_has_to_do_with_it(
    make_mind: MakeMind, question: str, reply: str, made_up: bool
) -> None:
    assert founded.made_up(fact(make_mind(ScriptedEngine({})), question), reply, LINES) is made_up


@pytest.mark.parametrize(
    ("reply", "leaves_out"), [("In the hollow oak.", False), ("I put the wand away, as far as I know.", True), ("The wand.", True)]
)
def test_an_answer_keeps_what_was_asked_for(make_mind: MakeMind, reply: str, leaves_out: bool) -> None:
    asked = fact(make_mind(ScriptedEngine({})), "Where is your wand?")
    assert founded.leaves_out(asked, "I put the wand in the hollow oak.", reply) is leaves_out


async def test_what_is_made_up_twice_gives_way_to_not_knowing(make_mind: MakeMind) -> None:
    for answers, source in ((["A tinker named Wenna, at the boathouse."] * 2, Source.INSTINCT), (["That I don't know."], Source.MODEL)):
        mind = make_mind(ScriptedEngine({"interview": answers}, drafts=True))
        await mind.remember(LINES[1:2], kind=MemoryKind.OBSERVATION, at=MORNING - 9000, importance=[4], source=MemorySource.SEEN)
        answer, _ = await interview.interview(mind.aside(), "Who bought the grey mule?", MORNING)
        assert answer.source is source
        assert "know" in answer.value or answer.value in mind.persona.voice.dont_know
