"""What is heard of a line while it is written is never taken back: the line that is used begins with it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from npc_server.llm.mend_reply import read
from npc_server.llm.reply import one
from npc_server.llm.streamed_words import SpokenWords
from npc_server.mind.replies import InterviewReply, Spoken
from npc_server.records import LINE_CHARS

NAMES = ("Mara Voss", "Mara")


def heard(reply: str, **more: object) -> tuple[list[str], SpokenWords]:
    """What is heard of a reply that comes letter by letter."""
    pieces: list[str] = []
    words = SpokenWords(pieces.append, "say: ", names=NAMES, limit=LINE_CHARS, **more)  # type: ignore[arg-type]
    for letter in reply:
        words.feed(letter)
    return pieces, words


def test_whole_words_are_heard_as_they_come_and_nothing_else_of_the_reply() -> None:
    pieces, words = heard("say: Good morning, Ada.\nthen: go on")
    assert pieces == ["Good", " morning,", " Ada."]
    assert words.finish("Good morning, Ada.") == "Good morning, Ada."


@pytest.mark.parametrize(
    ("line", "told", "used"),
    [
        ("Mara: Good morning!", "", "Good morning!"),
        ("Mara Voss is my name.", "Mara Voss is my name.", "Mara Voss is my name."),
        ('"Good morning!"', "", "Good morning!"),
        ("*smiles* Good morning!", "", "Good morning!"),
        ("Good day *waves* to you!", "Good day", "Good day to you!"),
        ("One | two", "One", "One two"),
        ("Good day. <think>What now?", "Good day.", "Good day."),
    ],
)
def test_what_may_yet_be_mended_is_held_back(line: str, told: str, used: str) -> None:
    pieces, words = heard(f"say: {line}\nthen: go on")
    assert "".join(pieces) == told
    found = read(one(Spoken), f"say: {line}\nthen: go on", NAMES).value.say
    assert words.finish(found) == used


def test_a_line_that_turns_out_to_be_another_is_cut_where_it_was_heard() -> None:
    pieces, words = heard("say: I shall come to the")
    assert words.finish("I cannot come.") == "I shall come to…"
    assert "".join(pieces) == "I shall come to…"


def test_nothing_is_heard_before_what_comes_first_is_checked_nor_if_it_is_wrong() -> None:
    reply = "agrees: yes, now at the pond to swim\nsay: Gladly, I come.\nthen: go on"
    checked: list[str] = []

    def may_begin(head: str) -> bool:
        checked.append(head)
        return False

    assert heard(reply, may_begin=may_begin)[0] == []
    assert checked == ["agrees: yes, now at the pond to swim"]
    assert "".join(heard(reply, may_begin=lambda head: True)[0]) == "Gladly, I come."
    assert heard("say: Gladly.\nagrees: no\n", may_begin=lambda head: True)[0] == [], "the words came before what decides on them"


def test_each_attempt_is_heard_anew() -> None:
    pieces, words = heard("say: Hm?\n", holds=lambda line: line == "Hm?")
    for letter in "say: Well.\n":
        words.begin()(letter) if letter == "s" else words.feed(letter)
    assert pieces == ["Well."]


@given(line=st.text(st.sampled_from("abc.!?*\"|_ :'Mara,…"), min_size=1, max_size=300))
@settings(max_examples=300, deadline=None)
def test_whatever_is_written_the_used_line_begins_with_what_was_heard(line: str) -> None:
    pieces, words = heard(f"say: {line}\nthen: go on")
    before = "".join(pieces)
    used = words.finish(read(one(InterviewReply), "Something else.").value.answer)
    assert used.startswith(before)
    assert "".join(pieces) in ("", used)
