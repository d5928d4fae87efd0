"""Stretches of a text: what a small model may leave out, and that it cannot write anything else."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llguidance import LLTokenizer

from npc_server.llm.reply import Text, one
from npc_server.llm.spans import Spans
from tests.llm.kinds import Say
from tests.llm.test_reply import admits

TOLD = "I am the baker of Millbrook, and keep the Kettle Café. The oven is Ada's."
LEADING = frozenset("i am is the of and keep".split())  # noqa: SIM905
SPANS = Spans(Text(240, "what you say"), TOLD, LEADING, openers=("Well,",))


def may_say(tokenizer: LLTokenizer, spans: Spans, text: str) -> bool:
    return admits(tokenizer, one(Say, text=spans).grammar(), text)


@pytest.mark.parametrize(
    "text",
    [
        "I am the baker.",
        "I am the baker of Millbrook, and keep the Kettle Café.",
        "Of Millbrook.",
        "Keep the Kettle Café.",
        "Ada's.",
        "Well, Ada's.",
        "The oven is Ada's.",
        "Well, I am the baker.",
        "Well, of Millbrook, and keep the Kettle Café.",
        "I am the baker. The oven is Ada's.",
        TOLD,
    ],
)
def test_stretches_may_be_said(tokenizer: LLTokenizer, text: str) -> None:
    assert may_say(tokenizer, SPANS, text)


@pytest.mark.parametrize(
    "text",
    [
        "I am the baker of Midbrook.",  # garbled
        "I am the miller.",  # made up
        "I am the.",  # ends with what tells nothing
        "And keep the Kettle.",  # begins with what joins
        "Is Ada's.",
        "The baker.",  # begins between what leads to a word and the word
        "I am Millbrook.",  # leaves out the middle
        "Well, Of Millbrook.",
        "Bah, I am the baker.",
        "I am the baker. I am the baker. I am the baker.",
        "",
    ],
)
def test_nothing_else_may_be_said(tokenizer: LLTokenizer, text: str) -> None:
    assert not may_say(tokenizer, SPANS, text)


def test_where_whole_sentences_are_wanted_they_are_said_from_their_beginning(tokenizer: LLTokenizer) -> None:
    spans = replace(SPANS, inner=False)
    assert may_say(tokenizer, spans, "The oven is Ada's.")
    assert may_say(tokenizer, spans, "I am the baker.")
    assert not may_say(tokenizer, spans, "Of Millbrook.")


def test_the_prompt_says_what_it_says_of_a_text() -> None:
    assert SPANS.describe("say") == SPANS.text.describe("say")


@settings(max_examples=60, deadline=None)
@given(st.text(st.characters(exclude_categories=("C", "Z"), exclude_characters='|"') | st.just(" "), max_size=60).filter(str.strip))
def test_of_any_text_there_is_a_grammar_and_its_first_word_may_be_where_it_tells_something(tokenizer: LLTokenizer, text: str) -> None:
    spans = Spans(Text(240), text)
    first = text.split()[0]
    told = first.rstrip(".,;:!?…\"'’”") or first
    assert may_say(tokenizer, spans, f"{told[:1].upper()}{told[1:]}.")
