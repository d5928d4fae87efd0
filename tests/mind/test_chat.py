"""The record of a chat: what was read stays as it was, and when the context is full the oldest turns go."""

from __future__ import annotations

from npc_server.mind.chat import Chat, as_heard
from npc_server.records import Turn
from tests.cognition.gossip import talk

NAMES = {"mara_voss": "Mara Voss", "tobin_hale": "Tobin Hale"}
EXAMPLE = Turn("Good morning.", "Mind the step.")
TALK = talk(
    ("Robin", "Hello."), ("mara_voss", "Hello, love."), ("Robin", "Any rolls?"), ("mara_voss", "Two left."), people=("mara_voss", "Robin")
)


def test_each_own_line_stands_behind_what_was_heard_before_it() -> None:
    chat = Chat("t", "You are Mara.", (EXAMPLE,), "[It is ten.]", {1: "[It is ten.]\nHello."})
    assert chat.turns(TALK, "mara_voss", NAMES) == (EXAMPLE, Turn("[It is ten.]\nHello.", "Hello, love."), Turn("Any rolls?", "Two left."))


def test_a_longer_talk_only_adds_turns() -> None:
    chat = Chat("t", "You are Mara.", (EXAMPLE,), "[It is ten.]", {1: "[It is ten.]\nHello."})
    before = chat.turns(TALK, "mara_voss", NAMES)
    longer = talk(*((line.speaker, line.text) for line in TALK.lines), ("Robin", "Thanks."), ("mara_voss", "Bye."), people=TALK.people)
    assert chat.given(5, "Thanks.").turns(longer, "mara_voss", NAMES)[: len(before)] == before


def test_a_line_that_was_taken_back_is_given_anew() -> None:
    chat = Chat("t", "", (), "", {1: "Hello."}).given(3, "Any rolls?").given(3, "Any bread?")
    assert chat.heard == {1: "Hello.", 3: "Any bread?"}


def test_the_oldest_turns_go_and_the_opening_stands_before_those_left() -> None:
    chat = Chat("t", "You are Mara.", (EXAMPLE,), "[It is ten.]", {1: "[It is ten.]\nHello.", 3: "Any rolls?"})
    shorter = chat.shortened(TALK, "mara_voss")
    assert shorter.turns(TALK, "mara_voss", NAMES) == (EXAMPLE, Turn("[It is ten.]\nAny rolls?", "Two left."))
    assert shorter.system == chat.system


def test_names_stand_before_lines_only_where_several_may_speak() -> None:
    assert as_heard(TALK, TALK.lines[:1], NAMES) == "Hello."
    three = talk(("tobin_hale", "Hello."), people=("mara_voss", "tobin_hale", "Robin"))
    assert as_heard(three, three.lines, NAMES) == "Tobin Hale: Hello."
