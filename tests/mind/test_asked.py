"""The latest questions of a mind, with their prompts and replies, for whoever looks into it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import pytest

from npc_server.llm.engine import Request
from npc_server.llm.reply import Integer, many, one
from npc_server.llm.scripted import ScriptedEngine
from npc_server.mind.ask import ask
from npc_server.mind.asked import KEPT, KEPT_OF_ALL, LEAST_KEPT, AskedLately, free_of_charge
from npc_server.mind.mind import Mind
from npc_server.mind.replies import InterviewReply
from npc_server.records import AnsweredBy, CallOutcome, Turn
from tests.minds import MORNING

MakeMind = Callable[..., Mind]


@dataclass(frozen=True)
class Weight:
    importance: Annotated[int, Integer(1, 10)]


async def weigh(mind: Mind) -> None:
    await ask(mind, "importance", many(Weight, 1, 1), lambda: (Weight(3),), MORNING, max_tokens=8, memories=["The mill is burning."])


async def test_a_question_is_kept_with_what_the_model_was_shown_and_what_it_wrote(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({"importance": ["9"]})
    mind = make_mind(engine)
    await weigh(mind)
    (kept,) = mind.tools.asked.latest("mara_voss", 0, 10)
    (request,) = engine.requests
    assert (kept.system, kept.user, kept.reply) == (request.system, request.asked, "9")
    assert "The mill is burning." in kept.user
    assert (kept.by, kept.call) == (AnsweredBy.MODEL, mind.draft.calls[0])


async def test_a_second_try_is_kept_with_the_reason_it_was_given(make_mind: MakeMind) -> None:
    mind = make_mind(ScriptedEngine({"importance": ["eleven", "9"]}))
    await weigh(mind)
    second, first = mind.tools.asked.latest("mara_voss", 0, 10)
    assert (first.call.outcome, first.reply, second.call.outcome, second.reply) == (CallOutcome.RETRIED, "eleven", CallOutcome.USED, "9")
    assert second.user != first.user


async def test_without_a_model_it_says_that_instinct_answered_and_why(make_mind: MakeMind) -> None:
    mind = make_mind()
    await weigh(mind)
    (kept,) = mind.tools.asked.latest("mara_voss", 0, 10)
    assert (kept.by, kept.call.reason, kept.system, kept.reply) == (AnsweredBy.INSTINCT, "MODEL_MISSING", "", "")


async def test_questions_come_page_by_page_newest_first(make_mind: MakeMind) -> None:
    asked = AskedLately()
    for number in range(5):
        asked.add_line(free_of_charge("ann", "say", number), AnsweredBy.BANK, "Hello.", f"Line {number}")
    first = asked.latest("ann", 0, 3)
    assert [it.reply for it in first] == ["Line 4", "Line 3", "Line 2"]
    assert [it.reply for it in asked.latest("ann", first[-1].id, 3)] == ["Line 1", "Line 0"]
    assert asked.latest("bob", 0, 3) == []


@pytest.mark.parametrize("people", [1, 100, 1_000])
def test_however_many_people_there_are_little_is_kept(people: int) -> None:
    asked = AskedLately()
    for number in range(KEPT * 2):
        for person in range(people):
            asked.add(free_of_charge(f"npc_{person}", "react", number))
    kept = [len(asked.latest(f"npc_{person}", 0, KEPT * 2)) for person in range(people)]
    assert max(kept) <= KEPT
    assert min(kept) >= LEAST_KEPT
    assert sum(kept) <= max(KEPT_OF_ALL, LEAST_KEPT * people)


def test_the_prompt_of_a_line_holds_the_chat_before_it() -> None:
    asked = AskedLately()
    request = Request("You are Mara.", "Good morning.", one(InterviewReply), 1, turns=(Turn("Hello.", "Well met."),))
    asked.add(free_of_charge("ann", "say", 5), request, "The bread is warm.")
    (kept,) = asked.latest("ann", 0, 1)
    assert kept.user == "Hello.\n> Well met.\nGood morning."
