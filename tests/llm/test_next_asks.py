from __future__ import annotations

from npc_server.llm.next_asks import KNOWN, NextAsks


def asks(*texts: bytes) -> NextAsks:
    made = NextAsks()
    for text in texts:
        made.ask(text)
    return made


def test_who_asks_regularly_is_expected_after_the_usual_pause() -> None:
    asked = asks(b"a", b"x", b"y", b"a", b"z")
    assert asked.wait(b"a") == 2


def test_who_asked_once_or_is_overdue_is_expected_after_as_long_again() -> None:
    asked = asks(b"a", b"a", b"x", b"y", b"z")
    assert asked.wait(b"a") == 4
    assert asked.wait(b"x") == 3
    assert asked.wait(b"z") == 1


def test_never_asked_is_expected_last() -> None:
    asked = asks(b"a", b"b")
    assert asked.wait(b"new") == 3 > asked.wait(b"a")


def test_the_oldest_texts_are_forgotten() -> None:
    asked = asks(*(str(n).encode() for n in range(KNOWN + 1)))
    assert asked.wait(b"0") == asked.now + 1
    assert asked.wait(b"1") == asked.now - 1
