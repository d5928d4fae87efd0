from __future__ import annotations

import pytest

from npc_server.english.same_words import said_in, says_the_same

LINE = "I shall bring the string to the green at six, Tobin."


def test_how_much_of_a_text_was_said_is_the_share_of_its_words_in_the_same_order() -> None:
    assert said_in("The string to the green at six", [LINE, "No."]) == 1
    assert said_in("bring the rope", [LINE]) == pytest.approx(2 / 3)
    assert said_in("six at green the", [LINE]) < 0.6
    assert said_in("Anything", []) == said_in("", [LINE]) == 0


def test_two_texts_say_the_same_if_neither_is_a_part_of_the_other() -> None:
    assert says_the_same("I shall bring the string to the green at six, Mara.", LINE)
    assert not says_the_same("The string to the green.", LINE)
    assert not says_the_same(LINE, "The string to the green.")
