"""DBSCAN: clusters of similar vectors, as scikit-learn finds them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from npc_server.affordable.dbscan import BLOCK, NOISE, dbscan
from npc_server.llm.engine import Vectors


def crowd(count: int, centres: int, spread: float, seed: int, dimensions: int = 16) -> Vectors:
    """Unit vectors around a few random centres."""
    rng = np.random.default_rng(seed)
    middle = rng.normal(size=(centres, dimensions))
    vectors = middle[rng.integers(centres, size=count)] + spread * rng.normal(size=(count, dimensions))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


@pytest.mark.parametrize("spread", [0.05, 0.3, 0.5, 1.0])
@pytest.mark.parametrize("min_samples", [1, 2, 3, 5])
def test_the_clusters_are_those_of_scikit_learn(spread: float, min_samples: int) -> None:
    cluster = pytest.importorskip("sklearn.cluster")
    for seed, (count, eps) in enumerate([(1, 0.3), (40, 0.3), (300, 0.1), (300, 0.3), (BLOCK + 100, 0.2)]):
        vectors = crowd(count, 12, spread, seed)
        theirs = cluster.DBSCAN(eps=eps, min_samples=min_samples, metric="cosine").fit_predict(vectors)
        assert dbscan(vectors, eps, min_samples).tolist() == theirs.tolist()


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 60), st.integers(1, 8), st.floats(0.05, 1.5), st.floats(0.05, 0.9), st.integers(1, 6), st.integers(0, 10**6))
def test_the_clusters_are_those_of_scikit_learn_for_any_crowd(
    count: int, centres: int, spread: float, eps: float, min_samples: int, seed: int
) -> None:
    cluster = pytest.importorskip("sklearn.cluster")
    vectors = crowd(count, centres, spread, seed, dimensions=4)
    theirs = cluster.DBSCAN(eps=eps, min_samples=min_samples, metric="cosine").fit_predict(vectors)
    assert dbscan(vectors, eps, min_samples).tolist() == theirs.tolist()


def test_a_vector_between_two_clusters_belongs_to_the_first() -> None:
    angles = np.radians([80, 84, 88, 60, 40, 36, 32])
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    assert dbscan(vectors, 1 - np.cos(np.radians(20.5)), 4).tolist() == [0, 0, 0, 0, 1, 1, 1]


def test_a_vector_that_is_similar_to_no_other_is_noise() -> None:
    assert dbscan(np.eye(3, dtype=np.float32), 0.3, 2).tolist() == [NOISE] * 3
    assert dbscan(np.eye(3, dtype=np.float32), 0.3, 1).tolist() == [0, 1, 2]


def test_vectors_of_zeros_and_no_vectors_are_no_mistake() -> None:
    assert dbscan(np.zeros((0, 4), np.float32), 0.3, 2).tolist() == []
    assert dbscan(np.zeros((2, 4), np.float32), 0.3, 2).tolist() == [NOISE] * 2


def test_the_length_of_a_vector_does_not_matter() -> None:
    vectors = crowd(50, 4, 0.2, 1)
    longer = vectors * np.arange(1, 51, dtype=np.float32)[:, None]
    assert dbscan(longer, 0.3, 2).tolist() == dbscan(vectors, 0.3, 2).tolist()
