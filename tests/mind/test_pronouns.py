from __future__ import annotations

import pytest

from npc_server.mind.pronouns import with_pronouns


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Mara Voss lent Tobin Hale the kettle", "I lent you the kettle"),
        ("Mara's oven is Tobin’s", "my oven is your"),
        ("Marable and Tobinson met", "Marable and Tobinson met"),
        ("Ines saw Mara", "Ines saw I"),
        ("", ""),
    ],
)
def test_names_of_the_two_become_pronouns_and_nothing_else_changes(text: str, read: str) -> None:
    assert with_pronouns(text, ("Mara Voss", "Mara"), ("Tobin Hale", "Tobin")) == read
