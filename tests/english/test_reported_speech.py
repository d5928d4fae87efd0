from __future__ import annotations

import pytest

from npc_server.english.reported_speech import reported


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('Odile Wetherby says: "I want to give a party, and I will ask everybody I meet to come."',
         "Odile Wetherby wants to give a party, and they will ask everybody they meet to come."),
        ('Have you heard? Hester says: "I have made up my mind to run."', "Have you heard? Hester has made up their mind to run."),
        ('Tobin told me something. Mara says: "I\'m selling the mill."', "Tobin told me something. Mara is selling the mill."),
        ('Mara says: "I run for mayor, and I will tell people so and say why."',
         "Mara runs for mayor, and they will tell people so and say why."),
        ('Mara says: "I carry it myself."', "Mara carries it themselves."),
        ('Mara says: "I will sell my lathe."', "Mara will sell their lathe."),
        ('Mara says: "I sold my lathe."', "Mara sold their lathe."),
        ('Mara says: "I fix what I can."', "Mara fixes what they can."),
        ("The mill burns.", "The mill burns."),
        ('Mara says: "The mill burns."', 'Mara says: "The mill burns."'),
        ('Mara says: "I saw you at the mill."', 'Mara says: "I saw you at the mill."'),
        ('Mara says: "I bake and sell bread."', 'Mara says: "I bake and sell bread."'),
        ('Mara says: "I never said that Ines says: "No.""', 'Mara says: "I never said that Ines says: "No.""'),
    ],
)  # fmt: skip
def test_what_somebody_said_of_themselves_is_told_of_them(text: str, told: str) -> None:
    assert reported(text) == told
