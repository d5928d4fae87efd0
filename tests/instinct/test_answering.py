"""Which of many memories answers a question."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from npc_server.english.question_parts import AnswerType, parse_question
from npc_server.english.text import sentences
from npc_server.instinct import answering
from npc_server.memory.topics import topic_of
from npc_server.mind.mind import Mind
from npc_server.records import MemoryKind, MemorySource
from tests.counting import steps
from tests.minds import MORNING

MakeMind = Callable[..., Mind]


@pytest.fixture
def mind(make_mind: MakeMind) -> Mind:
    return make_mind()


async def knows(mind: Mind, *texts: str, importance: int = 4, **more: object) -> None:
    given = {"kind": MemoryKind.OBSERVATION, "source": MemorySource.SEEN, "at": MORNING - 3600, **more}
    await mind.remember(texts, importance=[importance] * len(texts), topics=[topic_of(text) for text in texts], **given)  # type: ignore[arg-type]


def recalled(mind: Mind, question: str, asker: str = "ines_calder") -> str:
    memory = answering.recall(mind, question, asker)
    return memory.text if memory else ""


async def test_the_memory_that_holds_what_is_asked_for_is_recalled_and_not_the_one_that_shares_more_words(mind: Mind) -> None:
    await knows(
        mind, "The fence at the east side was cut by Tobin Hale", "The fence on the east side was cut during the night, all of the fence"
    )
    assert recalled(mind, "Who cut the fence on the east side?") == "The fence at the east side was cut by Tobin Hale"


async def test_nothing_is_recalled_where_no_memory_holds_what_is_asked_for(mind: Mind) -> None:
    await knows(mind, "The fence on the east side was cut during the night", "Tobin Hale wants the reports by 07:00")
    assert [recalled(mind, q) for q in ("Who cut the fence?", "Where was Tobin born?", "How old is Tobin Hale?")] == ["", "", ""]


def test_the_dot_of_a_title_ends_no_sentence() -> None:
    asked = parse_question("How many crowns did Mr. Quigley pay for the brown calf?")
    assert (asked.kind, asked.names) == (AnswerType.MANY, frozenset({"quigley"}))
    assert sentences("I saw Mr. Quigley. He paid.") == ["I saw Mr. Quigley.", "He paid."]


async def test_of_equals_the_more_important_then_the_newer_is_recalled(mind: Mind) -> None:
    await knows(mind, "The mill stands in the valley", importance=6)
    await knows(mind, "The mill stands on the hill", "The mill stands at the river")
    assert recalled(mind, "Where does the mill stand?") == "The mill stands in the valley"
    await knows(mind, "The mill stands by the road", importance=6)
    assert recalled(mind, "Where does the mill stand?") == "The mill stands by the road"


async def test_plans_and_what_the_asker_told_are_not_recalled(mind: Mind) -> None:
    await knows(mind, "Bake rye bread at noon", kind=MemoryKind.PLAN)
    await knows(mind, "Ines sells the shop", kind=MemoryKind.CONVERSATION, source=MemorySource.TOLD, source_person="ines_calder")
    assert recalled(mind, "When do you bake rye bread?") == ""
    assert recalled(mind, "Who sells the shop?") == ""
    assert recalled(mind, "Who sells the shop?", "tobin_hale") == "Ines sells the shop"


async def test_my_is_the_askers(mind: Mind) -> None:
    await knows(mind, "Tobin Hale's birthday is on Thursday", "Ada Brook's birthday is on Friday")
    assert recalled(mind, "What day is my birthday?", "tobin_hale") == "Tobin Hale's birthday is on Thursday"


@pytest.mark.parametrize(
    "question", ["", "?", "Why?", "Who?", "What is it?", "42", "¿Qué?", "is", "How many", "What's", "Mara's?", "which which"]
)
async def test_whatever_is_asked_is_looked_for(mind: Mind, question: str) -> None:
    await knows(mind, "", ".", "Tobin Hale", "7", "The mill stands by the road", "to", "Who? What? 12:30.")
    answering.answer(mind, question, "Ada", MORNING)


async def test_five_thousand_memories_are_looked_through_before_anybody_wonders(mind: Mind) -> None:
    await knows(mind, *(f"Tobin Hale carries sack {i} of flour into the mill" for i in range(5000)))
    recalled(mind, "Who burned the mill?")
    found: list[str] = []
    work = steps(lambda: found.append(recalled(mind, "Who stole the flour sack from the mill?")))
    assert found == [""]
    assert work < 1000 * 5000  # some 600 a memory


async def test_what_one_would_do_if_something_happened_nobody_remembers(mind: Mind) -> None:
    await knows(mind, "Ada does what she would do at home if the mill is burning")
    for question in (
        "What would you do if the mill burned?",
        "If the mill was burning, would you do something?",
        "What would you say to Ada?",
    ):
        assert recalled(mind, question) == ""
    assert recalled(mind, "Who does at home what she would do?") != ""
