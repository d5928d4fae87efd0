from __future__ import annotations

import pytest

from npc_server.instinct import phrases


@pytest.mark.parametrize("bank", ["greetings", "farewells", "dont_know", "smalltalk", "surprise", "opening", "notice", "well", "listening"])
def test_every_bank_has_lines_that_can_be_filled(bank: str) -> None:
    filled = [line.format(you="Mara", about="The fox") for line in phrases.lines(bank)]
    assert filled
    assert all(line[0].isupper() and line.rstrip()[-1] in ".!?" for line in filled)


def test_a_line_is_known_again_whatever_stands_in_it() -> None:
    assert phrases.is_from("notice", "Morning. You are feeding the birds, I see.")
    assert not phrases.is_from("notice", "I see the birds.")
