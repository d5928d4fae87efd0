from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Annotated

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llguidance import LLMatcher, LLTokenizer

from npc_server.llm.reply import Choice, Text, one
from npc_server.mind import offers, replies
from npc_server.personas.schema import Offer, Parameter

SHOP = Offer(
    "open_shop",
    "let a customer see the goods",
    (Parameter("item", "choice", ("rye bread", "half a cheese", "a/b")), Parameter("count", "integer", (), -1, 12)),
)
QUEST = Offer("accept_quest", "take on what is asked", (Parameter("words", "text"),))
KINDS = offers.OneOf((SHOP, QUEST, Offer("wave", "wave")))
REPLY = one(replies.SpokenWithDeed, does=KINDS)


@dataclass(frozen=True)
class Only:
    does: Annotated[object, Text()]


@pytest.fixture(scope="module")
def tokenizer() -> LLTokenizer:
    return LLTokenizer("byte")


def admits(tokenizer: LLTokenizer, text: str) -> bool:
    """Whether the grammar takes exactly this text."""
    matcher = LLMatcher(tokenizer, LLMatcher.grammar_from_lark(one(Only, does=KINDS).grammar()))
    assert not matcher.get_error()
    tokens = tokenizer.tokenize_str(text)
    return bool(matcher.validate_tokens(tokens) == len(tokens) and matcher.consume_tokens(tokens) and matcher.is_accepting())


def test_the_grammar_of_a_line_with_a_deed_is_valid(tokenizer: LLTokenizer) -> None:
    assert LLMatcher.validate_grammar(LLMatcher.grammar_from_lark(REPLY.grammar()), tokenizer) == ""


@pytest.mark.parametrize(
    ("text", "name", "arguments"),
    [
        ("open_shop(item=rye bread, count=2)", "open_shop", {"item": "rye bread", "count": 2}),
        ("open_shop(item=a/b, count=-1)", "open_shop", {"item": "a/b", "count": -1}),
        ("accept_quest(words=find the cat; gently)", "accept_quest", {"words": "find the cat; gently"}),
        ("wave()", "wave", {}),
    ],
)
def test_what_is_offered_is_admitted_and_read(tokenizer: LLTokenizer, text: str, name: str, arguments: dict[str, object]) -> None:
    assert admits(tokenizer, text)
    call = KINDS.read(text)
    assert isinstance(call, offers.Call)
    assert call.name == name
    assert json.loads(call.arguments) == arguments


def test_nothing_is_always_possible(tokenizer: LLTokenizer) -> None:
    assert admits(tokenizer, "nothing")
    assert KINDS.read("nothing") is None


@pytest.mark.parametrize(
    "text",
    [
        "give_gold(count=1)",
        "open_shop",
        "open_shop()",
        "open_shop(item=gold, count=2)",
        "open_shop(item=rye bread, count=13)",
        "open_shop(count=2, item=rye bread)",
        "accept_quest(words=)",
        "accept_quest(words=a, b=2)",
        "wave(); open_shop(item=rye bread, count=1)",
        "",
    ],
)
def test_what_is_not_offered_is_neither_admitted_nor_read(tokenizer: LLTokenizer, text: str) -> None:
    assert not admits(tokenizer, text)
    with pytest.raises(ValueError, match=r"which was not offered|do not fit"):
        KINDS.read(text)


@settings(max_examples=100, deadline=None)
@given(st.from_regex(KINDS.regex(), fullmatch=True))
def test_whatever_the_grammar_admits_is_read_and_is_json(text: str) -> None:
    call = KINDS.read(text)
    assert (call is None) == (text == "nothing")
    if isinstance(call, offers.Call):
        assert isinstance(json.loads(call.arguments), dict)
    reply = REPLY.parse(f"agrees: no\ndoes: {text}\nsay: Well.\nthen: go on")
    assert (reply.does is None) == (call is None)


@settings(max_examples=100, deadline=None)
@given(words=st.text(st.characters(codec="utf-8"), min_size=1, max_size=12))
def test_grammar_and_reader_agree_on_every_text(tokenizer: LLTokenizer, words: str) -> None:
    text = f"accept_quest(words={words})"
    try:
        read = KINDS.read(text) is not None
    except ValueError:
        read = False
    assert admits(tokenizer, text) == read


def test_the_prompt_says_what_each_does() -> None:
    assert offers.lines((SHOP, QUEST)) == ["open_shop: let a customer see the goods", "accept_quest: take on what is asked"]
    assert KINDS.describe("does").startswith("nothing or open_shop(item=rye bread, half a cheese or a/b, count=a number from -1 to 12) or ")
    assert Choice(("a",)).describe("x") == "a"
