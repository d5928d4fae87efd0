from __future__ import annotations

from collections.abc import Callable

import pytest

from npc_server.cognition import interview
from npc_server.instinct import answering, groundedness
from npc_server.llm.scripted import ScriptedEngine
from npc_server.mind.mind import Mind
from npc_server.records import Source
from tests.minds import MORNING

MakeMind = Callable[..., Mind]


def asked(mind: Mind, question: str) -> answering.Question:
    return answering.parse(mind, question, "somebody")


@pytest.mark.parametrize(
    ("question", "reply", "leaves_out"),
    [
        ("Where is your wand?", "In the hollow oak.", False),
        ("Where is your wand?", "I put the wand away, as far as I know.", True),
        ("Where is your wand?", "The wand.", True),
        ("What about the wand?", "The wand, I think.", True),
        ("What about the wand?", "It's in an oak.", False),
    ],
)
def test_an_answer_keeps_what_was_asked_for(make_mind: MakeMind, question: str, reply: str, leaves_out: bool) -> None:
    asking = asked(make_mind(ScriptedEngine({})), question)
    assert groundedness.leaves_out(asking, "I put the wand in the hollow oak.", reply) is leaves_out


async def test_where_nothing_is_remembered_a_model_that_is_shown_drafts_is_not_asked(make_mind: MakeMind) -> None:
    for question in ("Who bought the grey mule?", "What would you do in a flood?"):
        for by_instinct, asked in ((None, 0), ((), 1)):
            engine = ScriptedEngine({"interview": ["Swim."]}, drafts=True)
            mind = make_mind(engine, by_instinct=by_instinct).aside()
            answer, _ = await interview.interview(mind, question, MORNING)
            assert (mind.model_answers, mind.instinct_answers, len(mind.draft.calls)) == (asked, 1 - asked, 1)
            assert (len(engine.requests), answer.source) == (asked, Source.MODEL if asked else Source.INSTINCT)
