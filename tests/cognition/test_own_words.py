"""What a character remembers of itself by name, said by itself."""

from __future__ import annotations

import pytest

from npc_server.cognition.own_words import spoken

_MARA = ("Mara Voss", "Mara")
_TOBIN = ("Tobin Ashe", "Tobin")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Mara Voss bought six eggs from Hetty Crane", "I bought six eggs from Hetty Crane"),
        ("Mara's hens are gone", "My hens are gone"),
        ("Mara bakes bread and sells it at the market", "I bake bread and sell it at the market"),
        ("Mara buys eggs and apples", "I buy eggs and apples"),
    ],
)
def test_a_name_becomes_i(text: str, said: str) -> None:
    assert spoken(text, _MARA, _TOBIN) == said
