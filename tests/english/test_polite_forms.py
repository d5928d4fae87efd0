from __future__ import annotations

import pytest

from npc_server.english import polite_forms


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Forgive me for troubling you, but might I ask who has the key?", "Who has the key?"),
        ("If you don't mind my asking, where did you leave the ladder?", "Where did you leave the ladder?"),
        ("Would you kindly tell me what young Tobias hopes to be?", "What young Tobias hopes to be?"),
        ("Pray tell, good smith, which blade is the sharpest?", "Which blade is the sharpest?"),
        ("Excuse me, could you tell me please, how late it is?", "How late it is?"),
        ("I wonder where the cat is.", "Where the cat is."),
        ("Do you know who lives there?", "Who lives there?"),
        ("Did Mara say why she left?", "Did Mara say why she left?"),
        ("Do you know what Mara said when she left?", "What Mara said when she left?"),
        ("Who told you where the key is?", "Who told you where the key is?"),
        ("Is the mill open?", "Is the mill open?"),
        ("I am looking for the key.", "I am looking for the key."),
        ("Sorry,", "Sorry,"),
        ("", ""),
    ],
)
def test_a_question_is_what_it_asks_for(question: str, asked: str) -> None:
    assert polite_forms.strip_politeness(question) == asked
