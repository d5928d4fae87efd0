from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from npc_server.cognition import interview
from npc_server.llm.scripted import ScriptedEngine
from npc_server.mind.mind import Mind
from npc_server.personas.voice import Voice
from npc_server.records import MemoryKind, MemorySource, Source
from tests.minds import MORNING, same_as_golden

MakeMind = Callable[..., Mind]
DONT_KNOW = "That I have not heard."


async def make(make_mind: MakeMind, engine: ScriptedEngine | None = None) -> Mind:
    mind = make_mind(engine)
    mind.persona = replace(mind.persona, voice=Voice("short and warm", dont_know=(DONT_KNOW,)))
    given = {"kind": MemoryKind.CONVERSATION, "at": MORNING - 86_400, "importance": [7], "source": MemorySource.TOLD}
    await mind.remember(["Ines Calder stands for mayor"], source_person="tobin_hale", **given)  # type: ignore[arg-type]
    return mind


async def test_the_prompt_holds_memories_with_their_source_and_says_what_is_not_known(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({"interview": ["Ines does, if Tobin is right."]})
    mind = await make(make_mind, engine)
    pieces: list[str] = []
    answer, found = await interview.interview(mind.aside(), "Who stands for mayor?", MORNING, pieces.append)
    assert (answer.value, answer.source) == ("Ines does, if Tobin is right.", Source.MODEL)
    assert "".join(pieces) == answer.value
    assert [scored.memory.text for scored in found] == ["Ines Calder stands for mayor"]
    same_as_golden(engine.requests[0], "interview")


async def test_instinct_answers_from_memory_with_who_said_it(make_mind: MakeMind) -> None:
    answer, _ = await interview.interview((await make(make_mind)).aside(), "Who stands for mayor?", MORNING)
    assert answer.value == "Tobin told me: Ines Calder stands for mayor."


@pytest.mark.parametrize(
    "question", ["Who is the king of France?", "What is a computer?", "Did you hear of the wedding in the city?", "?", "Why?"]
)
async def test_what_memories_do_not_say_is_not_known(make_mind: MakeMind, question: str) -> None:
    answer, _ = await interview.interview((await make(make_mind)).aside(), question, MORNING)
    assert answer.value == DONT_KNOW


def everything(mind: Mind) -> tuple[object, ...]:
    counted = (mind.reflecting.importance_since, mind.tally.plan_changes, mind.tally.model, mind.tally.instinct, mind.plan.next_id)
    drafted = (list(mind.draft.memories), dict(mind.draft.touched), list(mind.draft.calls), bool(mind.draft.seen))
    return mind.stream.latest(100), list(mind.plan.steps), list(mind.knowledge), mind.identity.currently, counted, drafted


async def test_an_interview_leaves_no_trace_in_the_mind(make_mind: MakeMind) -> None:
    mind = await make(make_mind, ScriptedEngine(lambda request: "I am Mara."))
    before = everything(mind)
    await interview.interview(mind.aside(), "Who are you?", MORNING + 5000)
    assert everything(mind) == before
