from __future__ import annotations

import pytest

from npc_server.instinct import phrases


@pytest.mark.parametrize("bank", ["greetings", "farewells", "dont_know", "smalltalk", "surprise", "outing", "opening", "well", "listening"])
def test_every_bank_has_lines_that_can_be_filled(bank: str) -> None:
    filled = [line.format(you="Mara", about="The fox") for line in phrases.lines(bank)]
    assert filled
    assert all(line[0].isupper() and line.rstrip()[-1] in ".!?" for line in filled)
