from __future__ import annotations

from collections.abc import Callable

import pytest

from npc_server.llm.reply import one
from npc_server.llm.scripted import ScriptedEngine
from npc_server.llm.streamed_words import SpokenWords
from npc_server.mind import from_nowhere
from npc_server.mind.ask import Aloud, ask
from npc_server.mind.mind import Mind
from npc_server.mind.replies import DayRow, InterviewReply, Learned
from npc_server.records import CallOutcome, Source
from tests.minds import MORNING

MakeMind = Callable[..., Mind]
PROMPT = "You are Mara. Tobin owes you forty coins since 10:20. You feed the zorbling."


@pytest.mark.parametrize(
    ("reply", "wrong"),
    [
        (Learned("Tobin owes me forty coins, and the zorbling is fed."), ""),
        (Learned("Lucinda owes me coins."), "names 'Lucinda', of which nothing is known"),
        (Learned("He owes me fifty coins."), "names 'fifty', of which nothing is known"),
        (Learned("He owes me 90 coins."), "names '90', of which nothing is known"),
        (Learned("He brought the candmaron."), "has the word 'candmaron', which nobody uses"),
        ((DayRow(0, "work", "bake bread"), DayRow(60, "work", "meet Lucinda")), "names 'Lucinda', of which nothing is known"),
    ],
)
def test_a_name_a_number_or_a_garbled_word_that_the_prompt_does_not_have_comes_from_nowhere(reply: object, wrong: str) -> None:
    assert from_nowhere.wrong(reply, PROMPT) == wrong


@pytest.mark.parametrize(
    ("file", "setting", "checked"), [(True, None, True), (False, None, False), (True, False, False), (False, True, True)]
)
async def test_replies_are_checked_if_the_model_file_or_the_settings_say_so(
    make_mind: MakeMind, file: bool, setting: bool | None, checked: bool
) -> None:
    engine = ScriptedEngine({"importance": ["Lucinda is here.", "The oven is hot."]}, check_replies=file)
    mind = make_mind(engine, check_replies=setting)
    answer = await ask(mind, "importance", one(InterviewReply), lambda: InterviewReply("No."), MORNING, memories=["the oven"])
    assert answer.value.answer == ("The oven is hot." if checked else "Lucinda is here.")
    if checked:
        assert "names 'Lucinda', of which nothing is known" in engine.requests[1].user


async def test_what_comes_from_nowhere_twice_gives_way_to_instinct(make_mind: MakeMind) -> None:
    mind = make_mind(ScriptedEngine({"importance": ["Lucinda is here."] * 2}, check_replies=True))
    answer = await ask(mind, "importance", one(InterviewReply), lambda: InterviewReply("No."), MORNING, memories=["the oven"])
    assert (answer.value.answer, answer.source) == ("No.", Source.INSTINCT)
    assert [call.outcome for call in mind.draft.calls] == [CallOutcome.RETRIED, CallOutcome.INSTINCT]


async def test_a_sentence_is_heard_once_it_is_whole_and_checked(make_mind: MakeMind) -> None:
    for replies, heard in (
        (["Good morning to you. Lucinda is here. Bye."], ["Good morning to you."]),
        (["Lucinda is here. Good morning.", "The oven is hot. Bye."], ["The oven is hot.", " Bye."]),
    ):
        pieces: list[str] = []
        mind, words = make_mind(ScriptedEngine({"importance": list(replies)}, check_replies=True)), SpokenWords(pieces.append)
        form, aloud = one(InterviewReply), Aloud(words, InterviewReply)
        answer = await ask(mind, "importance", form, lambda: InterviewReply("No."), MORNING, aloud=aloud, memories=["the oven"])
        assert words.finish(answer.value.answer) == "".join(heard) == "".join(pieces)
        assert answer.source is Source.MODEL
