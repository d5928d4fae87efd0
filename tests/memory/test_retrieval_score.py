from __future__ import annotations

import numpy as np
import pytest

from npc_server.clock import HOUR
from npc_server.memory.retrieval_score import Weights, best_k, normalised, recency, relevance, score

NOW = 1000 * HOUR


def test_recency_falls_by_the_decay_in_each_game_hour_since_the_last_access() -> None:
    access = np.array([NOW, NOW - HOUR, NOW - 10 * HOUR])
    assert recency(access, NOW, 0.9).tolist() == pytest.approx([1.0, 0.9, 0.9**10])


def test_an_access_in_the_future_is_as_recent_as_one_now() -> None:
    assert recency(np.array([NOW + HOUR]), NOW, 0.5).tolist() == [1.0]


def test_relevance_is_the_cosine_of_unit_vectors_and_0_without_a_query() -> None:
    vectors = np.array([[1, 0], [0, 1], [0.6, 0.8]], np.float32)
    assert relevance(vectors, np.array([1, 0], np.float32)).tolist() == [1.0, 0.0, 0.6]
    assert relevance(vectors, None).tolist() == [0.0, 0.0, 0.0]


def test_relevance_that_differs_in_the_last_bit_is_the_same() -> None:
    one = np.float32(0.3)
    near = np.nextafter(one, np.float32(1))
    first, second = relevance(np.array([[one], [near]], np.float32), np.ones(1, np.float32))
    assert first == second


def test_normalised_values_lie_between_0_and_1_and_equal_ones_are_0() -> None:
    assert normalised(np.array([2.0, 6.0, 4.0])).tolist() == [0.0, 1.0, 0.5]
    assert normalised(np.array([3.0, 3.0])).tolist() == [0.0, 0.0]


def test_the_score_is_the_weighted_sum_of_the_normalised_parts() -> None:
    scores = score(np.array([0.0, 1.0]), np.array([10.0, 1.0]), np.array([0.5, 0.5]), Weights(recency=2, importance=3, relevance=5))
    assert (scores.recency.tolist(), scores.importance.tolist(), scores.relevance.tolist()) == ([0, 1], [1, 0], [0, 0])
    assert scores.total.tolist() == [3.0, 2.0]


@pytest.mark.parametrize("k", [1, 2, 3, 9])
def test_the_best_come_first_and_of_equals_the_higher_id(k: int) -> None:
    total, ids = np.array([1.0, 2.0, 2.0]), np.array([7, 5, 6])
    assert best_k(total, ids, k) == [2, 1, 0][:k]
