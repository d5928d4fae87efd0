"""What instinct rates by is fitted on the banks, and rates lines it has not seen."""

from __future__ import annotations

import sys
from collections import Counter

import numpy as np

from models.nano.rating import WEIGHTS, bank_lines, matrix, unseen, with_weights
from npc_server.evaluation.model.scores import spearman
from npc_server.instinct import poignancy

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def test_unseen_lines_are_rated_as_the_banks_do() -> None:
    lines = bank_lines(1)
    rated = unseen(matrix([line.text for line in lines], list(poignancy.trait_names())), lines)
    assert np.all((rated >= 1) & (rated <= 10))
    assert spearman(rated.tolist(), [float(line.level) for line in lines]) > 0.85


def test_the_weights_in_the_file_are_fitted() -> None:
    lines = bank_lines(1)
    assert spearman([float(poignancy.importance(line.text)) for line in lines], [float(line.level) for line in lines]) > 0.88


def test_new_weights_leave_the_words_as_they_are() -> None:
    text = WEIGHTS.read_text(encoding="utf-8")
    data = tomllib.loads(with_weights(text, {"death": 9.5, "doing": -3.0}, 1.25))
    before = tomllib.loads(text)
    assert (data["start"], data["grave"]["death"]["weight"], data["form"]["doing"]) == (1.25, 9.5, -3.0)
    assert data["grave"]["death"]["words"] == before["grave"]["death"]["words"]
    assert data["everyday"] == before["everyday"]


def test_a_word_belongs_to_one_kind() -> None:
    data = tomllib.loads(WEIGHTS.read_text(encoding="utf-8"))
    kinds = {**data["grave"], **data["further"], **data["everyday"]}
    counts = Counter(word for kind in kinds.values() for word in {part.strip() for part in kind["words"].split(",")})
    assert [word for word, count in counts.items() if count > 1] == []
    assert len(counts) > 1500
