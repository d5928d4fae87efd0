"""Fitting the weights of importance by meaning."""

from __future__ import annotations

import numpy as np
import pytest

from models.importance import fit
from npc_eval.model.scores import spearman


def test_the_weights_are_fitted_so_that_lines_left_out_are_rated_as_by_hand() -> None:
    rng = np.random.default_rng(0)
    vectors, true = rng.normal(size=(400, 8)).astype(np.float32), np.arange(8) - 3.5
    ratings = vectors @ true + 5.0
    weights = fit.ridge(vectors, ratings, np.ones(400), 1e-6)
    assert np.allclose(weights, [*true, 5.0], atol=1e-3)
    found = fit.left_out(vectors, ratings, np.ones(400), np.arange(400), 1.0)
    assert spearman(found.tolist(), ratings.tolist()) > 0.99
    assert spearman([1.0, 2.0, 3.0], [3.0, 2.0, 1.0]) == pytest.approx(-1.0)


def test_a_line_that_counts_less_pulls_the_weights_less() -> None:
    vectors, ratings = np.ones((2, 1), np.float32), np.array([2.0, 8.0])
    assert fit.rated(vectors[:1], fit.ridge(vectors, ratings, np.array([1.0, 0.0]), 1.0))[0] == pytest.approx(2.0)


def test_braces_are_filled_with_words_that_stay_the_same() -> None:
    words = {"names": ["Ada", "Bo", "Cy", "Di"], "animal": ["cat"]}
    line = fit.filled("{a} gave {me} a {animal}", words, 1)
    assert line == fit.filled("{a} gave {me} a {animal}", words, 1)
    assert "{" not in line
    assert line.endswith("a cat")


def test_every_line_has_a_rating_and_none_is_twice() -> None:
    rows = [row for file in fit.FILES for row in fit.read_lines(file)]
    assert len(rows) > 1600
    assert all(1 <= value <= 10 for value, _ in rows)
    assert len({text for _, text in rows}) == len(rows)
