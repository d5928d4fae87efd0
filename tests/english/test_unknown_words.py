from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from npc_server.english.unknown_words import unknown_words


def test_names_that_nobody_gave_are_foreign() -> None:
    prompt = "You are Mara Voss. Tobin Hale broke his chisel at 18:30. Six eggs."
    assert unknown_words("Well, Tobin's chisel is broken. At half past six!", prompt) == []
    assert unknown_words("Doran told me.", prompt) == ["Doran"]
    assert unknown_words("I went there with Mara and Lucinda.", prompt) == ["Lucinda"]
    assert unknown_words("It was in London.", prompt) == ["London"]


def test_numbers_that_nobody_gave_are_foreign() -> None:
    prompt = "Sir Aldous counted two hundred tents at 18:30."
    assert unknown_words("I counted 200 tents, two hundred, at six.", prompt) == []
    assert unknown_words("I counted 300 of them.", prompt) == ["300"]
    assert unknown_words("I counted forty tents.", prompt) == ["forty"]
    assert unknown_words("One of those days, I have told you two.", prompt) == []


def test_common_words_in_capitals_name_nobody() -> None:
    assert unknown_words("Good morning! Lovely weather, Sir. Thinking of Monday? I'll go. Don't worry.", "") == []


@settings(max_examples=100, deadline=None)
@given(st.text(), st.text())
def test_any_text_is_taken_and_knows_its_own_words(a: str, b: str) -> None:
    unknown_words(a, b)
    assert unknown_words(a, a) == []
