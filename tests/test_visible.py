"""What steers is shown, and nothing else is touched."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from npc_server.errors import BadInput, FileProblem, Problem
from npc_server.visible import STEERING, first_steering, visible


def test_steering_characters_are_spelled_out() -> None:
    assert visible("Mara\x1b]0;owned\x07 \x9b31m\u202eVoss\r\ud800") == ("Mara\\u001b]0;owned\\u0007 \\u009b31m\\u202eVoss\\u000d\\ud800")
    assert visible("two\nlines\tand 👩\u200d🚀 שלום\u200f") == "two\nlines\tand 👩\u200d🚀 שלום\u200f"
    assert (first_steering("a\u202eb\x1b"), first_steering("a")) == ("U+202E", "")


@given(st.text())
def test_any_text_is_safe_once_visible_and_json_stays_json(text: str) -> None:
    shown = visible(text)
    assert not STEERING.search(shown)
    shown.encode()
    assert json.loads(visible(json.dumps(text, ensure_ascii=False))) == text


def test_errors_quote_what_was_sent_without_being_steered() -> None:
    error = BadInput("'\x1b[2J' is wrong.", "Remove \u202e.", given="\ud800")
    assert str(error) == "'\\u001b[2J' is wrong. Remove \\u202e."
    assert (error.what, error.fix, error.values) == ("'\\u001b[2J' is wrong.", "Remove \\u202e.", {"given": "\\ud800"})
    problem = Problem("\x1b.yaml", 1, "Bad \x9b.", "")
    assert str(FileProblem((problem,))) == str(problem) == "\\u001b.yaml:1: Bad \\u009b."
