"""Against numbers computed by hand, and the shape of the paper's."""

from __future__ import annotations

import random
from math import exp

import pytest

from npc_eval.believability_study.conditions import Condition
from npc_eval.believability_study.files import Ranking
from npc_eval.believability_study.statistics import holm, ratings, significance
from npc_server.errors import BadInput

FULL, NO_REFLECTION, NO_PLANNING, NONE, HUMAN = Condition


def ranked(*orders: dict[Condition, float]) -> list[Ranking]:
    return [Ranking(npc="mara_voss", category="memory", question=f"{i}?", ranks=ranks) for i, ranks in enumerate(orders)]


def hundred() -> list[Ranking]:
    """As many as the paper's evaluators, who like the conditions in the paper's order."""
    rng, worth = random.Random(1), {FULL: 1.2, NO_REFLECTION: 0.6, NO_PLANNING: 0.35, HUMAN: -0.1, NONE: -0.4}
    found = []
    for _ in range(100):
        liked = sorted(worth, key=lambda it: -worth[it] - rng.gauss(0, 1.2))
        found.append({condition: float(place + 1) for place, condition in enumerate(liked)})
    return ranked(*found)


def test_kruskal_wallis_and_dunn_with_ties_by_hand() -> None:
    """Two rankings of three: pooled places 1.5, 3.5 and 5.5, so sums of 3, 9 and 9.

    H = 12 / (6 * 7) * (9 / 2 + 81 / 2 + 81 / 2) - 3 * 7 = 24 / 7, and 24 / 7 / (1 - 18 / 210) = 3.75 with ties; p = exp(-3.75 / 2).
    Dunn: (4.5 - 1.5) / sqrt((6 * 7 / 12 - 18 / 60) * (1 / 2 + 1 / 2)) = 1.67705, p = 0.0935325, times 3 and then 2, never falling.
    """
    found = significance(ranked({FULL: 1, NO_REFLECTION: 2, NONE: 3}, {FULL: 1, NO_REFLECTION: 3, NONE: 2}))
    assert found.h == pytest.approx(3.75)
    assert found.df == 2
    assert found.p == pytest.approx(exp(-3.75 / 2))
    assert [(it.one, it.other) for it in found.pairs] == [(FULL, NO_REFLECTION), (FULL, NONE), (NO_REFLECTION, NONE)]
    assert [it.p for it in found.pairs] == pytest.approx([0.2805975, 0.2805975, 1.0])


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_trueskill_of_one_game_is_the_published_one() -> None:
    """Two players, one game: 29.396 and 20.604, both with 7.171 (the documentation of trueskill)."""
    winner, loser = ratings(ranked({FULL: 1, NONE: 2}))
    assert (winner.condition, loser.condition) == (FULL, NONE)
    assert (winner.mu, loser.mu, winner.sigma) == pytest.approx((29.396, 20.604, 7.171), abs=0.001)
    assert (winner.firsts, loser.firsts, winner.mean_rank, loser.mean_rank) == (1, 0, 1.0, 2.0)


def test_a_hundred_rankings_come_to_the_sigma_of_the_paper() -> None:
    """Generative Agents, section 6.5.1: sigma from 0.68 to 0.72, H(4) = 150.29."""
    rated, tests = ratings(hundred()), significance(hundred())
    assert {it.condition for it in rated[:3]} == {FULL, NO_REFLECTION, NO_PLANNING}
    assert rated[0].condition is FULL
    assert all(0.66 < it.sigma < 0.74 for it in rated)
    assert tests.df == 4
    assert tests.p < 0.001
    assert len(tests.pairs) == 10


def test_ties_everywhere_differ_in_nothing() -> None:
    tied: dict[Condition, float] = {FULL: 2, NO_REFLECTION: 2, NONE: 2}
    found = significance(ranked(tied, tied))
    assert (found.h, found.p, {it.p for it in found.pairs}) == (0.0, 1.0, {1.0})
    assert len({round(it.mu, 6) for it in ratings(ranked(tied))}) <= 3


def test_a_ranking_without_a_condition_counts_for_the_others() -> None:
    found = {it.condition: it.ranked for it in ratings(ranked({FULL: 1, NONE: 2, HUMAN: 3}, {FULL: 1, NONE: 2}))}
    assert found == {FULL: 2, NONE: 2, HUMAN: 1}


def test_too_few_rankings_are_refused() -> None:
    with pytest.raises(BadInput, match="1 rankings cannot be compared"):
        significance(ranked({FULL: 1, NONE: 2}))
