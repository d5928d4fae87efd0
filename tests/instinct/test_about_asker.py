"""What one knows of who asks."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from npc_server.instinct import about_asker, answering
from npc_server.mind.mind import Mind
from npc_server.records import MemoryKind, MemorySource, MemoryTopic
from tests.minds import MORNING

MakeMind = Callable[..., Mind]


async def says(mind: Mind, who: str, verb: str, words: str, importance: int = 4, ago: int = 3600) -> None:
    await mind.remember(
        [f'{who} {verb}: "{words}"'],
        kind=MemoryKind.CONVERSATION,
        at=MORNING - ago,
        importance=[importance],
        source=MemorySource.TOLD,
        source_person=who,
        triples=[(who, "told", "Mara")],
        topics=[MemoryTopic(verb)],
    )


def answered(mind: Mind, question: str, who: str = "Robin") -> str:
    return answering.answer(mind, question, who, MORNING)


async def test_who_told_one_something_is_told_so(make_mind: MakeMind) -> None:
    mind = make_mind()
    await says(mind, "Robin", "said", "My dog died last week.", 7)
    await says(mind, "Robin", "said", "I have a red kite.")
    await says(mind, "Cora", "said", "My dog is called Rex.")
    await says(mind, "Robin", "asked", "What did I tell you about my dog?", ago=0)
    assert answered(mind, "What did I tell you about my dog?") == 'You told me: "My dog died last week."'
    assert answered(mind, "Do you remember what I said about the kite?") == 'You told me: "I have a red kite."'
    assert answered(mind, "What did I tell you?") == 'You told me: "My dog died last week."'
    assert answered(mind, "What did I tell you about the mayor?") == about_asker.NOTHING


@pytest.mark.parametrize("question", ["Do you remember me?", "Who am I?", "What is my name?", "Have we met?"])
async def test_one_knows_whom_one_has_met(make_mind: MakeMind, question: str) -> None:
    mind = make_mind()
    await says(mind, "Robin", "asked", question, ago=0)
    assert answered(mind, question) == about_asker.STRANGER
    await says(mind, "Robin", "said", "I have a red kite.")
    assert answered(mind, question) == 'You are Robin. You told me: "I have a red kite."'
    assert answered(mind, question, "Cora") == about_asker.STRANGER


def test_neighbours_and_interviewers_are_answered_as_before(make_mind: MakeMind) -> None:
    for who in ("tobin_hale", "somebody"):
        assert about_asker.answer(make_mind(), "Do you remember me?", who) == ""
    assert about_asker.answer(make_mind(), "Do you remember Tobin?", "Robin") == ""
