"""The examples of npc-answers: whole, filled, and those that are held back never trained on."""

from __future__ import annotations

import json
import random
from itertools import islice

import pytest

from models.answers import groups
from models.answers.near import Near
from tests.bank.test_exchange_files import wrong


@pytest.mark.parametrize("kind", groups.KINDS)
def test_every_kind_gives_lines_with_texts_that_answer_and_others(kind: str) -> None:
    draw, _ = groups.KINDS[kind]
    rng = random.Random(1)
    drawn = [draw(rng, False) for _ in range(60)]
    assert all(group.line and group.texts and all(text for text, _ in group.texts) for group in drawn)
    assert not any("{" in text for group in drawn for text in (group.line, *(text for text, _ in group.texts)))
    fits = [score for group in drawn for _, score in group.texts]
    assert 0.08 < sum(score > 0.5 for score in fits) / len(fits) < 0.7
    assert all(0 <= score <= 1 for score in fits)


def test_the_shares_of_the_kinds_are_a_whole() -> None:
    assert sum(share for _, share in groups.KINDS.values()) == pytest.approx(1)
    assert [group.line for group in islice(groups.groups(3), 20)] == [group.line for group in islice(groups.groups(3), 20)]


@pytest.mark.parametrize("of", [groups.fitting, groups.judged, groups.talks, groups.asked, groups.tales])
def test_one_in_ten_is_held_back_and_is_no_other(of: object) -> None:
    trained, held = of(False), of(True)  # type: ignore[operator]
    assert 0.05 < len(held) / (len(trained) + len(held)) < 0.15
    assert not set(map(repr, trained)) & set(map(repr, held))


def test_every_judged_reply_has_a_score_and_every_answer_a_sentence() -> None:
    for held in (False, True):
        for it in groups.judged(held):
            assert len(it["texts"]) == len(it["scores"])
            assert set(it["scores"]) <= {0, 1, 2, 3}
        for asked in groups.asked(held):
            assert all(0 <= number < len(asked.sentences) for number in (*asked.answers, *asked.tempting))


def test_texts_with_rare_words_in_common_are_near() -> None:
    near = Near(
        [
            "the red kite flies",
            "a kite is red",
            "the mill burns",
            "the cat sleeps",
            "the ferry is late",
            *(f"the day {i}" for i in range(20)),
        ]
    )
    assert near.nearest(0, 1) == [1]
    assert near.nearest(2, 3) == []


def test_exchanges_for_training_have_the_form_of_the_bank_and_are_drawn_with_it() -> None:
    lines = [it for path in (groups.FOLDER / "exchanges").glob("*.jsonl") for it in path.read_text("utf-8").splitlines()]
    assert {line[:80]: problem for line in lines if (problem := wrong(json.loads(line)))} == {}
    assert {tuple(json.loads(line)["said"]) for line in lines} < {said for said, _ in groups.exchanges()}
