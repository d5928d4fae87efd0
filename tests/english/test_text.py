from __future__ import annotations

import pytest

from npc_server.english.text import each_once, words_in


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I'm all right. A bit sleepy. I'm all right. A bit sleepy!", "I'm all right. A bit sleepy."),
        ("No. No! I said no.", "No. I said no."),
        ("Come at 17:00. Come at 18:00.", "Come at 17:00. Come at 18:00."),
        ("…", "…"),
        ("", ""),
    ],
)
def test_a_sentence_is_said_once(text: str, expected: str) -> None:
    assert each_once(text) == expected


def test_words_are_compared_without_what_stands_between_them() -> None:
    assert words_in("Sit down, Tobin!") == words_in("sit down Tobin") == ["sit", "down", "tobin"]
