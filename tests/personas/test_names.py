from __future__ import annotations

import pytest

from npc_server.personas.names import first_name, forms


@pytest.mark.parametrize(
    ("name", "called"),
    [
        ("Mara Voss", "Mara"),
        ("Captain Ysme", "Captain Ysme"),
        ("Captain Ysme Dray", "Captain Ysme"),
        ("Mr. Pemberton", "Mr. Pemberton"),
        ("Old Father Time Jones", "Old Father Time"),
        ("Bo", "Bo"),
        ("Captain", "Captain"),
        ("", ""),
    ],
)
def test_who_has_a_title_keeps_it_when_spoken_to(name: str, called: str) -> None:
    assert first_name(name) == called


def test_texts_name_somebody_with_and_without_title_in_full_and_in_short() -> None:
    assert forms("Mechanic Olu Bright") == ("Mechanic Olu Bright", "Mechanic Olu", "Olu Bright", "Olu")
    assert forms("Mara Voss") == ("Mara Voss", "Mara")
    assert forms("Bo") == ("Bo",)
    assert forms("") == ()
    assert forms("Town Guard", "Town Guard") == ("Town Guard",), "nobody calls a guard `Town`"
    assert forms("Miriam Stone", "Mim") == ("Miriam Stone", "Miriam", "Mim")
