"""The examples of npc-rerank: every kind, with talks as the server tells them, and those that are held back never trained on."""

from __future__ import annotations

from collections import Counter
from itertools import groupby

import pytest

from models.rerank.examples import DRAWN, KINDS, Example, examples
from npc_server.mind.listening import LINES_BEFORE

# One process of pytest-xdist, so that the fixture of the module is made once.
pytestmark = pytest.mark.xdist_group("rerank examples")


@pytest.fixture(scope="module")
def trained() -> list[Example]:
    with pytest.MonkeyPatch.context() as patch:
        for kind in DRAWN:
            patch.setitem(DRAWN, kind, 60)
        return list(examples(False))


def test_every_kind_has_examples_with_texts_that_answer_and_others(trained: list[Example]) -> None:
    assert set(Counter(it.kind for it in trained)) == set(KINDS)
    for kind, found in groupby(trained, key=lambda it: it.kind):
        fits = [score for it in found for _, score in it.texts]
        assert 0.05 < sum(score > 0.5 for score in fits) / len(fits) < 0.7, kind
        assert all(0 <= score <= 1 for score in fits)
    assert not any("{" in text for it in trained for text, _ in it.texts)


def test_lines_before_are_of_both_in_turn_and_no_more_than_the_server_tells(trained: list[Example]) -> None:
    talks = [it.heard for it in trained if it.heard.before]
    assert len(talks) > 100
    for heard in talks:
        assert len(heard.before) <= LINES_BEFORE
        assert [own for own, _ in heard.before] == [False, True] * (len(heard.before) // 2)


def test_lines_in_play_say_who_answers_as_the_server_does(trained: list[Example]) -> None:
    who = next(it.heard.who for it in trained if it.kind == "played" and "You are Gwen" in it.heard.who)
    assert who.startswith("You are Gwen Penhallow. Gwen Penhallow is the town clerk of Alderwick, ")
    assert who.endswith(", 10:15. The other: stranger.")


def test_lines_of_talks_say_at_times_what_somebody_is_doing_and_to_whom_they_speak(trained: list[Example]) -> None:
    who = [it.heard.who for it in trained if it.kind == "scored"]
    doing = sum("You are busy: " in it and "The other: " in it for it in who)
    assert 0.5 < doing / len(who) < 0.7
    assert 0.1 < sum(not it for it in who) / len(who) < 0.2


def test_what_is_held_back_is_not_trained_on(trained: list[Example]) -> None:
    kinds = ("judged", "general", "memories", "scored", "played")
    held = {(it.kind, it.heard.text, it.texts) for it in examples(True) if it.kind in kinds}
    assert len(held) > 1000
    assert not held & {(it.kind, it.heard.text, it.texts) for it in trained}
