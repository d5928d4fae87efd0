from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from npc_server.cognition import converse, interview
from npc_server.instinct import small_talk, suggested_answer
from npc_server.llm.scripted import ScriptedEngine
from npc_server.llm.spans import Spans
from npc_server.mind import replies
from npc_server.mind.mind import Mind
from npc_server.records import MemoryKind, MemorySource, Source
from tests.cognition.gossip import talk
from tests.instinct.test_answering import knows
from tests.minds import MORNING

MakeMind = Callable[..., Mind]
QUESTION = "Where is the spare key?"
KEY = "Brindle keeps the spare key under the blue flowerpot"


async def knowing(make_mind: MakeMind, engine: ScriptedEngine) -> Mind:
    mind = make_mind(engine)
    await mind.remember([KEY], kind=MemoryKind.OBSERVATION, at=MORNING - 9000, importance=[4], source=MemorySource.SEEN)
    return mind


@pytest.mark.parametrize(
    ("reply", "strays"),
    [
        ("Under the blue flowerpot.", False),
        ("Under the blue flowerpot, if I remember right.", False),
        ("Let me think. The spare key is under the blue flowerpot, I believe.", False),
        ("I don't know.", True),
        ("That I couldn’t tell you.", True),
        ("Nobody has any idea.", True),
        ("The silver spoon lies behind the mill.", True),
        ("Brother rai greets the key.", True),
        ("Brindle keeps the spare key under the blue flowerparrot.", True),
        ("!", True),
    ],
)
async def test_a_reply_keeps_to_what_is_remembered(make_mind: MakeMind, reply: str, strays: bool) -> None:
    mind = await knowing(make_mind, ScriptedEngine({}, drafts=True))
    recalled = suggested_answer.of_question(mind, QUESTION, "somebody", MORNING, "No.")
    assert recalled.remembered
    assert bool(suggested_answer.wrong(mind, recalled, reply, [KEY], MORNING)) is strays
    assert not suggested_answer.wrong(await knowing(make_mind, ScriptedEngine({})), recalled, reply, [KEY], MORNING)
    assert not suggested_answer.strays_from_memory(
        suggested_answer.of_question(mind, "What is a computer?", "somebody", MORNING, "No."), reply
    )


@pytest.mark.parametrize(
    ("reply", "strange"),
    [
        ("I saw Brindle's key, and I'm sure of it.", ""),
        ("Duty calls. It was at 17:00.", "17"),
        ("Hello, Inspect.", "Inspect"),
        ("It is 3 hours ago.", ""),
        ("Really? Mara’s flowerpot.", ""),
    ],
)
def test_a_reply_that_names_somebody_or_a_number_that_nothing_told_of_is_wrong(reply: str, strange: str) -> None:
    assert suggested_answer.unknown_names(reply, [KEY, "Mara Voss", "3 hours ago"]) == (
        f"names {strange!r}, of which nothing is known" if strange else ""
    )


async def test_what_strays_twice_gives_way_to_the_draft_in_interviews_and_in_talk(make_mind: MakeMind) -> None:
    garbled = "The spoons of the mill greet you."
    for answers, source in (([garbled] * 2, Source.INSTINCT), ([garbled, "Under the flowerpot."], Source.MODEL)):
        mind = await knowing(make_mind, ScriptedEngine({"interview": answers}, drafts=True))
        answer, _ = await interview.interview(mind.aside(), QUESTION, MORNING)
        assert answer.source is source
        assert "flowerpot" in answer.value
        mind = await knowing(make_mind, ScriptedEngine({"say": [f"say: {text}\nthen: go on" for text in answers]}, drafts=True))
        said, by = await converse.say(mind, talk(("tobin_hale", QUESTION)), MORNING, frozenset())
        assert by is source
        assert "flowerpot" in said.text


@pytest.mark.parametrize(
    ("reply", "of_somebody"),
    [
        ("I lost my apron at the mill.", False),
        ("At the mill, I think.", False),
        ("I lost her apron at the mill.", True),
        ("Mara lost the apron at the mill.", True),
        ("Mara's apron is at the mill.", True),
    ],
)
async def test_what_one_remembers_of_oneself_is_told_as_i(make_mind: MakeMind, reply: str, of_somebody: bool) -> None:
    mind = make_mind(ScriptedEngine({}, drafts=True))
    recalled = suggested_answer.RememberedAnswer("I lost my apron at the mill.", True)
    assert bool(suggested_answer.wrong(mind, recalled, reply, [], MORNING)) is of_somebody


@pytest.mark.parametrize(
    ("question", "remembered", "inner"),
    [("Who bought the grey mule?", True, True), ("Why was the grey mule sold?", True, False), ("What is a computer?", False, False)],
)
async def test_what_is_remembered_is_said_in_stretches_of_it(make_mind: MakeMind, question: str, remembered: bool, inner: bool) -> None:
    for shown in (True, False):
        mind = make_mind(ScriptedEngine({}, drafts=shown))
        await knows(mind, "Ada Finch bought the grey mule", "The grey mule was sold because it bites")
        form = suggested_answer.form_of(mind, suggested_answer.of_question(mind, question, "somebody", MORNING, "No."), replies.ANSWER)
        assert isinstance(form, Spans) is (remembered and shown)
        assert not isinstance(form, Spans) or form.inner is inner


async def test_no_stretch_ends_with_a_title(make_mind: MakeMind) -> None:
    form = suggested_answer.form_of(
        make_mind(ScriptedEngine({}, drafts=True)),
        suggested_answer.RememberedAnswer("Mrs. Cho refuses to eat the soup.", True),
        replies.ANSWER,
    )
    assert re.fullmatch(form.regex(), "Mrs. Cho.")
    assert not re.fullmatch(form.regex(), "Mrs.")


def test_a_quotation_and_what_is_long_is_not_cut_into_stretches(make_mind: MakeMind) -> None:
    mind = make_mind(ScriptedEngine({}, drafts=True))
    for text in ('Ada said: "The mule bites."', "The mule bites. " * 40):
        assert suggested_answer.form_of(mind, suggested_answer.RememberedAnswer(text, True), replies.ANSWER) is replies.ANSWER
        assert suggested_answer.is_said_unchanged(mind, suggested_answer.RememberedAnswer(text, True))
    assert not suggested_answer.is_said_unchanged(mind, suggested_answer.RememberedAnswer("The mule bites.", True))


async def test_how_one_is_no_memory_says(make_mind: MakeMind) -> None:
    mind = await knowing(make_mind, ScriptedEngine({}, drafts=True))
    meant = mind.stream.latest(1)[0]
    for heard, remembered in (("How are you, Mara?", False), ("Whatever became of it?", True)):
        asking = small_talk.last_question(mind, talk(("tobin_hale", heard)))
        recalled = suggested_answer.of_line(mind, asking, MORNING, lambda: meant)
        assert recalled.remembered is remembered


async def test_a_question_that_instinct_put_wants_no_answer_and_a_small_model_is_not_asked(make_mind: MakeMind) -> None:
    for claims, asked in (((), 0), (None, 1)):
        engine = ScriptedEngine({"say": ["say: Ada Finch.\nthen: go on"]}, drafts=True)
        mind = await knowing(make_mind, engine)
        put = talk(("tobin_hale", QUESTION))
        await converse.say(mind, replace(put, lines=(replace(put.lines[0], claims=claims),)), MORNING, frozenset())
        assert bool(engine.requests) is bool(asked)
