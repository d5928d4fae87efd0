"""Replies: what the grammar admits the parser accepts, and anything else is refused, never a crash."""

from __future__ import annotations

import contextlib
import sys
from dataclasses import dataclass
from typing import Annotated

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llguidance import LLMatcher, LLTokenizer

from npc_server.errors import ReplyUnreadable
from npc_server.llm.reply import Choice, Emoji, Integer, Several, Text, many, one
from tests.llm.kinds import KINDS, Act, Insight, Say, Stroke


def admits(tokenizer: LLTokenizer, grammar: str, text: str) -> bool:
    matcher = LLMatcher(tokenizer, grammar, log_level=0)
    assert not matcher.is_error(), matcher.get_error()
    tokens = list(text.encode())
    return bool(matcher.try_consume_tokens(tokens) == len(tokens) and matcher.is_accepting())


@pytest.mark.parametrize("name", KINDS)
def test_each_grammar_is_valid(name: str) -> None:
    assert LLMatcher.validate_grammar(KINDS[name].grammar()) == ""


@pytest.mark.parametrize("name", KINDS)
def test_each_format_names_its_fields(name: str) -> None:
    assert KINDS[name].format_text()


def test_list_is_read_line_by_line() -> None:
    found = KINDS["strokes"].parse("06:30 | wake up\n\n 07:00 |wash and dress ")
    assert found == (Stroke(6 * 3600 + 1800, "wake up"), Stroke(7 * 3600, "wash and dress"))


def test_record_is_read_by_its_labels() -> None:
    reply = "place: home|bed\ntext: go to bed: it is late\nface: 🛏️💤\nminutes: 5"
    assert KINDS["record"].parse(reply) == Act("home|bed", "go to bed: it is late", "🛏️💤", 5)


def test_choice_with_a_bar_is_read_in_a_list() -> None:
    row = "home|bed | sleep | 😴 | 15"
    assert KINDS["acts"].parse(f"{row}\n{row}") == (Act("home|bed", "sleep", "😴", 15),) * 2


def test_evidence_is_read_once_each() -> None:
    assert KINDS["insights"].parse("she likes bread | 3, 1, 3") == (Insight("she likes bread", (3, 1)),)


@pytest.mark.parametrize(
    ("name", "reply", "why"),
    [
        ("strokes", "06:30 | wake up", "has 1 lines"),
        ("strokes", "06:30 | wake\n25:00 | rest", "start.*that"),
        ("strokes", "06:30 wake\n07:00 | rest", "1 parts"),
        ("integer", "11", "not a number from 1 to 10"),
        ("integer", "1\n2", "has 2 lines"),
        ("integer", "", "has 0 lines"),
        ("emoji", "happy", "not one or two emoji"),
        ("choice", "the moon", "was not offered"),
        ("record", "place: home|bed\ntext: x\nface: 🙂\nlength: 5", "a line 'minutes: …' belongs"),
        ("insights", "true | 2", "names 2"),
        ("text", "a | b", "holds a '|'"),
        ("text", "x" * 61, "61 characters"),
    ],
)
def test_wrong_reply_says_what_is_wrong(name: str, reply: str, why: str) -> None:
    with pytest.raises(ReplyUnreadable, match=why.replace("|", r"\|")):
        KINDS[name].parse(reply)


@given(name=st.sampled_from(sorted(KINDS)), text=st.text(max_size=200))
@settings(max_examples=100, deadline=None)
def test_any_text_parses_or_is_refused(name: str, text: str) -> None:
    with contextlib.suppress(ReplyUnreadable):
        KINDS[name].parse(text)


@given(name=st.sampled_from(sorted(KINDS)), data=st.data())
@settings(max_examples=100, deadline=None)
def test_what_the_grammar_admits_the_parser_accepts(name: str, data: st.DataObject) -> None:
    """Walks the grammar: at each place any allowed byte."""
    tokenizer = LLTokenizer("byte")
    matcher = LLMatcher(tokenizer, KINDS[name].grammar(), log_level=0)
    seed = data.draw(st.randoms(use_true_random=False))
    text = bytearray()
    while not matcher.is_stopped():
        bits = matcher.compute_bitmask()
        allowed = [token for token in range(256) if bits[token // 8] >> (token % 8) & 1]
        if not allowed:
            break
        token = seed.choice(allowed)
        assert matcher.consume_token(token)
        text.append(token)
        if matcher.is_accepting() and seed.random() < 0.1:
            break
    assert KINDS[name].parse(text.decode()) is not None, text


@pytest.mark.parametrize(
    ("name", "reply"),
    [
        ("insights", "she likes bread | 3, 1"),
        ("insights", "she likes bread | 3\nshe bakes | 12"),
        ("strokes", "06:30 | wake up\n07:00 | wash"),
        ("acts", "home|bed | sleep on | 😴 | 15\npark/bench (2) | rest | 😴 | 5"),
    ],
)
def test_grammar_admits_a_text_that_ends_before_it_is_as_long_as_it_may_be(tokenizer: LLTokenizer, name: str, reply: str) -> None:
    assert KINDS[name].parse(reply)
    assert admits(tokenizer, KINDS[name].grammar(), reply)


def test_text_grammar_admits_no_line_break_of_any_kind(tokenizer: LLTokenizer) -> None:
    grammar = KINDS["text"].grammar()
    breaks = [chr(n) for n in range(sys.maxunicode + 1) if not 0xD800 <= n < 0xE000 and len(f"a{chr(n)}b".splitlines()) > 1]
    assert "\u2028" in breaks
    for char in breaks:
        assert not admits(tokenizer, grammar, f"a{char}b"), repr(char)
    assert admits(tokenizer, grammar, "Guten Morgen, Müller! ☕ 你好")


def test_text_starts_with_no_space(tokenizer: LLTokenizer) -> None:
    spaces = [chr(n) for n in range(sys.maxunicode + 1) if chr(n).isspace()]
    for char in spaces:
        assert not admits(tokenizer, KINDS["text"].grammar(), char + "a"), repr(char)


def test_kinds_can_be_given_when_asked() -> None:
    kind = many(Act, 1, 1, place=Choice(("the sea",)))
    assert kind.parse("the sea | swim | 🏊 | 9")[0].place == "the sea"
    assert kind.kinds[1][1] == Text(40)


def test_numbers_of_a_prompt_are_bounded() -> None:
    assert Integer(1, 10).describe("importance") == "a number from 1 to 10"
    assert Emoji().describe("face")
    assert Say("x") == KINDS["text"].parse("x")


@dataclass(frozen=True)
class Kept:
    about: Annotated[str, Text(60)]
    told: Annotated[tuple[str, ...], Several(Text(60), 1, 3)]


KEPT = one(Kept)


def test_a_last_field_may_come_several_times() -> None:
    assert KEPT.parse("about: the party\ntold: it is on Friday\ntold: Ines comes too") == Kept(
        "the party", ("it is on Friday", "Ines comes too")
    )


def test_a_last_field_must_come_as_often_as_was_asked() -> None:
    with pytest.raises(ReplyUnreadable, match="1 lines, and 2 to 4"):
        KEPT.parse("about: the party")


def test_what_is_written_reads_back() -> None:
    kept = Kept("the party", ("it is on Friday", "Ines comes too"))
    assert KEPT.parse(KEPT.write(kept)) == kept


def test_a_grammar_takes_the_last_field_as_often_as_asked(tokenizer: LLTokenizer) -> None:
    assert admits(tokenizer, KEPT.grammar(), "about: a\ntold: b\ntold: c")
    assert not admits(tokenizer, KEPT.grammar(), "about: a")
    assert not admits(tokenizer, KEPT.grammar(), "about: a" + "\ntold: b" * 4)
