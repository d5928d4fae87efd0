from __future__ import annotations

import pytest

from npc_server.instinct import phrases


@pytest.mark.parametrize(
    "bank", ["greetings", "farewells", "dont_know", "smalltalk", "surprise", "fine", "opening", "notice", "well", "listening"]
)
def test_every_bank_has_lines_that_can_be_filled(bank: str) -> None:
    filled = [line.format(you="Mara", about="The fox") for line in phrases.lines(bank)]
    assert filled
    assert all(line[0].isupper() and line.rstrip()[-1] in ".!?" for line in filled)


@pytest.mark.parametrize(
    ("heard", "reply"),
    [
        ("THANK YOU, Mara!", "You're welcome."),
        ("You look so tired.", "Do I? I have not slept well."),
        ("My husband is a little better today.", "I'm glad to hear that."),
        ("I can’t sleep, I'm worried.", "I'm sorry to hear that."),
        ("I promise to pay you.", "Good. I'll count on it."),
    ],
)
def test_what_sounds_like_something_has_a_reply(heard: str, reply: str) -> None:
    assert phrases.reply_to(heard)[0] == reply


def test_what_sounds_like_nothing_known_has_none() -> None:
    assert phrases.reply_to("The comet is green.") == ()
    assert phrases.answer_to("Where is the key?") == ()


def test_questions_about_oneself_here_and_now_have_answers() -> None:
    assert phrases.answer_to("How are you?") == phrases.lines("fine")
    assert "I'll come if I can." in phrases.answer_to("Will you come to my party?")


def test_a_line_is_known_again_whatever_stands_in_it() -> None:
    assert phrases.is_from("notice", "Morning. You are feeding the birds, I see.")
    assert not phrases.is_from("notice", "I see the birds.")
