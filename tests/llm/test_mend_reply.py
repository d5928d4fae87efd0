"""Replies that are a little off are put right, and what was put right is named."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import Annotated

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from npc_server.errors import ReplyUnreadable
from npc_server.llm.mend_reply import PLAIN_EMOJI, read
from npc_server.llm.reply import Choice, Emoji, Integer, Numbers, Several, Text, TimeOfDay, many, one
from tests.llm.kinds import KINDS


@dataclass(frozen=True)
class Said:
    say: Annotated[str, Text(60, "what you say", spoken=True)]
    then: Annotated[str, Choice(("go on", "leave"), otherwise="go on")]


@dataclass(frozen=True)
class Answered:
    answer: Annotated[str, Text(60, spoken=True)]


@dataclass(frozen=True)
class Step:
    minutes: Annotated[int, Integer(5, 15)]
    activity: Annotated[str, Text(30)]
    place: Annotated[str, Choice(("cafe:kitchen:oven", "cafe:kitchen:sink", "mara_house:bed"))]
    does: Annotated[str, Choice(("bake", "wash up", "nothing special"), otherwise="nothing special")]
    emoji: Annotated[str, Emoji()]


@dataclass(frozen=True)
class Row:
    start: Annotated[int, TimeOfDay()]
    goal: Annotated[str, Text(40)]


@dataclass(frozen=True)
class Rated:
    importance: Annotated[int, Integer(1, 10)]


@dataclass(frozen=True)
class Drawn:
    insight: Annotated[str, Text(60)]
    memories: Annotated[tuple[int, ...], Numbers((1, 2, 3))]


@dataclass(frozen=True)
class Kept:
    about: Annotated[str, Text(60)]
    told: Annotated[tuple[str, ...], Several(Text(60), 1, 2)]


SAID, ANSWER, STEPS, DAY = one(Said), one(Answered), many(Step, 4, 12), many(Row, 4, 8)
NAMES = ("Mara Voss", "Mara")
STEP = "15 | knead dough | cafe:kitchen:oven | bake | 🥐"


@pytest.mark.parametrize(
    ("written", "line", "what"),
    [
        ("say: Good morning!\nthen: go on", "Good morning!", ()),
        ("say: Mara: Good morning!\nthen: go on", "Good morning!", ("speaker's name",)),
        ('say: "Good morning!"\nthen: go on', "Good morning!", ("quotation marks",)),
        ("say: *smiles* Good morning! *waves*\nthen: go on", "Good morning!", ("actions in a line",)),
        ('say: **Mara:** *smiles* "Hello!"\nthen: go on', "Hello!", ("speaker's name", "actions in a line", "quotation marks")),
        ('say: "Good morning." *waves* "Tea?"\nthen: go on', "Good morning. Tea?", ("actions in a line", "quotation marks")),
        ("**Say:** Good morning!\nThen: go on", "Good morning!", ("labels",)),
        ("then: go on\nsay: Good morning!", "Good morning!", ()),
        ("Here is my reply:\nsay: Good morning!\nthen: go on", "Good morning!", ("lines that are no answer",)),
        ("Mara: Good morning!", "Good morning!", ("lines that are no answer", "speaker's name", "no then")),
        ("say: Good morning!\nHow are you?\nthen: go on", "Good morning! How are you?", ("number of lines",)),
        ("say: Good morning!\nthen: Go on.", "Good morning!", ("form of then",)),
    ],
)  # fmt: skip
def test_a_spoken_line_is_freed_of_what_stands_around_it(written: str, line: str, what: tuple[str, ...]) -> None:
    found = read(SAID, written, NAMES)
    assert found.value == Said(line, "go on")
    assert found.mended == what


@pytest.mark.parametrize("thought", ["<think>She greets me.</think>\n\n", "She greets me.\n</think>\n\n", "[THINK]Hm.[/THINK]"])
def test_a_thought_is_no_part_of_a_reply(thought: str) -> None:
    assert read(one(Answered), f"{thought}Good morning!").value == Answered("Good morning!")
    assert read(one(Said), f"{thought}say: Good morning!\nthen: leave").mended == ("thought",)
    with pytest.raises(ReplyUnreadable):
        read(one(Answered), thought)


def test_a_spoken_line_that_is_too_long_ends_at_a_sentence() -> None:
    long = "The oven is cold today. I baked nothing since the flour did not come in time."
    assert read(ANSWER, long).value == Answered("The oven is cold today.")
    clause = "I baked nothing since the flour did not come, and the miller was away"
    assert read(ANSWER, clause).value == Answered("I baked nothing since the flour did not come.")
    assert read(ANSWER, "word " * 20).value == Answered(("word " * 11).strip() + "…")


def test_a_spoken_line_that_the_grammar_cut_off_ends_at_the_sentence_before() -> None:
    cut = "The oven is cold. I baked nothing because the flour did no"
    assert len(cut) <= 60
    assert read(ANSWER, cut).value == Answered("The oven is cold.")
    assert read(ANSWER, "The oven is cold, and there is no flour").mended == ()


def test_an_answer_of_one_field_may_be_labelled_and_take_several_lines() -> None:
    assert read(ANSWER, "Answer: I bake.\nEvery day.").value == Answered("I bake. Every day.")


def test_a_list_is_read_through_bullets_bars_fences_and_introductions() -> None:
    rows = "\n".join(["```", "Here are the steps:", f"- {STEP}", f"1. {STEP}", f"| {STEP} |", STEP, "```"])
    found = read(STEPS, rows)
    assert len(found.value) == 4
    assert set(found.value) == {Step(15, "knead dough", "cafe:kitchen:oven", "bake", "🥐")}
    assert set(found.mended) == {"markdown", "lines that are no answer", "bullets"}


@pytest.mark.parametrize(
    ("row", "step"),
    [
        ("20 min | knead dough | cafe:kitchen:oven | bake | 🥐", Step(15, "knead dough", "cafe:kitchen:oven", "bake", "🥐")),
        ("15 | knead dough | Cafe:Kitchen:Oven | Bake | 🥐 x", Step(15, "knead dough", "cafe:kitchen:oven", "bake", "🥐")),
        ("15 | knead dough | oven | bake bread | 🥐", Step(15, "knead dough", "cafe:kitchen:oven", "bake", "🥐")),
        ("15 | knead dough | cafe:kitchen:oven is cold | sing | :)",
         Step(15, "knead dough", "cafe:kitchen:oven", "nothing special", PLAIN_EMOJI)),
        ("15 | knead dough | cafe:kitchen:oven", Step(15, "knead dough", "cafe:kitchen:oven", "nothing special", PLAIN_EMOJI)),
        ("15 | knead the dough for the loaves of the day | cafe:kitchen:oven | bake | 🥐",
         Step(15, "knead the dough for the", "cafe:kitchen:oven", "bake", "🥐")),
    ],
)  # fmt: skip
def test_the_fields_of_a_line_are_put_right(row: str, step: Step) -> None:
    found = read(STEPS, "\n".join([row] * 4))
    assert found.value == (step,) * 4
    assert found.mended


@pytest.mark.parametrize("time", ["6:30", "06.30", "6:30 am", "06:30-07:15", "06:30:00", "**06:30**"])
def test_a_time_is_read_in_other_forms(time: str) -> None:
    assert read(DAY, "\n".join([f"{time} | rise"] * 4)).value == (Row(23400, "rise"),) * 4


def test_a_time_may_be_parted_by_a_dash() -> None:
    assert read(DAY, "\n".join(["06:30 – rise"] * 4)).value[0] == Row(23400, "rise")


@pytest.mark.parametrize(("count", "kept"), [(2, 2), (4, 4), (12, 12), (20, 12)])
def test_a_number_of_lines_that_is_off_by_some_is_taken(count: int, kept: int) -> None:
    found = read(STEPS, "\n".join([STEP] * count))
    assert len(found.value) == kept
    assert ("number of lines" in found.mended) is (count != kept or count < 4)


def test_too_few_lines_are_refused_with_the_reason() -> None:
    with pytest.raises(ReplyUnreadable, match="has 1 lines, and 4 to 12 were asked for"):
        read(STEPS, STEP)
    with pytest.raises(ReplyUnreadable, match="has 'place' that is 'the moon', which was not offered"):
        read(STEPS, "\n".join([STEP.replace("cafe:kitchen:oven", "the moon")] * 4))


def test_a_list_that_answers_line_by_line_keeps_its_number_of_lines() -> None:
    three = many(Rated, 3, 3, exact=True)
    assert [it.importance for it in read(three, "1. 7\n2. 3\n3. 10").value] == [7, 3, 10]
    assert [it.importance for it in read(three, "7, 3, 10").value] == [7, 3, 10]
    assert [it.importance for it in read(three, "7/10\n3 (a bit)\n12").value] == [7, 3, 10]
    for wrong in ("7\n3", "7\n3\n1\n1", "7\n3\nmany", "7\n3\n99"):
        with pytest.raises(ReplyUnreadable):
            read(three, wrong)


def test_evidence_that_was_not_shown_is_not_mended() -> None:
    rows = many(Drawn, 1, 5)
    assert read(rows, "She is kind | [1, 3]\nHe lies | 9").value == (Drawn("She is kind", (1, 3)),)
    with pytest.raises(ReplyUnreadable, match="names 9"):
        read(rows, "He lies | 1, 9")


def test_a_last_field_that_comes_too_often_is_cut() -> None:
    assert read(one(Kept), "about: x\ntold: a\ntold: b\ntold: c").value == Kept("x", ("a", "b"))
    with pytest.raises(ReplyUnreadable, match="has 0 lines 'told: …'"):
        read(one(Kept), "about: x")


@pytest.mark.parametrize("text", ["", "this is blank"])
def test_a_list_without_a_line_of_its_form_is_refused(text: str) -> None:
    with pytest.raises(ReplyUnreadable):
        read(STEPS, text)


@pytest.mark.parametrize("text", ['{"say": "Good morning!"}', "It is Monday 4 May, 12:01. What do you say next?", "Good morning!"])
def test_what_has_no_label_of_its_form_is_not_spoken(text: str) -> None:
    """It may be anything, and is asked for again."""
    with pytest.raises(ReplyUnreadable, match="has no line that begins with 'say: '"):
        read(SAID, text, NAMES)


@pytest.mark.parametrize("text", ["say:\nthen: go on", "say: *smiles*\nthen: go on"])
def test_what_says_nothing_is_refused(text: str) -> None:
    with pytest.raises(ReplyUnreadable):
        read(SAID, text)


@given(name=st.sampled_from(sorted(KINDS)), text=st.text(max_size=200))
@settings(max_examples=100, deadline=None)
def test_any_text_is_read_or_refused_and_what_parses_without_a_mend_is_the_same(name: str, text: str) -> None:
    with contextlib.suppress(ReplyUnreadable):
        found = read(KINDS[name], text)
        if not found.mended:
            assert found.value == KINDS[name].parse(text)


@pytest.mark.parametrize(
    ("name", "text"),
    [("record", "place: home|bed\ntext: go to bed\nface: 🛏️💤\nminutes: 5"), ("strokes", "06:30 | wake up\n07:00 | wash")],
)
def test_a_reply_in_the_form_asked_for_is_read_as_it_is(name: str, text: str) -> None:
    found = read(KINDS[name], text)
    assert (found.value, found.mended) == (KINDS[name].parse(text), ())
