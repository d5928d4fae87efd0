"""Groups similar vectors into clusters by density: DBSCAN (Ester, Kriegel, Sander and Xu 1996) with cosine distances.

Mind wandering clusters a few hundred memories with it. All distances are compared at once, so time and memory grow with the square of the
number of vectors.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from npc_server.llm.engine import Vectors

NOISE = -1
"""The label of a vector that belongs to no cluster."""
BLOCK = 512
"""How many rows of distances are computed at once, so that a large number of vectors needs little memory."""


def dbscan(vectors: Vectors, eps: float, min_samples: int) -> NDArray[np.intp]:
    """Returns the label of each vector's cluster, counted from 0, or `NOISE`. `vectors` has the shape (number, dimensions).

    Two vectors are neighbours when their cosine distance is at most `eps`, and each vector is its own neighbour. A vector with
    `min_samples` neighbours or more is a core of a cluster, and its neighbours belong to the same cluster. A vector between two clusters
    belongs to the one whose first core comes first.
    """
    near = _neighbours(vectors, eps)
    is_core = near.sum(axis=1) >= min_samples
    labels = np.full(len(vectors), NOISE, np.intp)
    cluster = 0
    for seed in np.flatnonzero(is_core):
        if labels[seed] != NOISE:
            continue
        labels[seed] = cluster
        reached = np.array([seed])
        while reached.size:
            found = near[reached].any(axis=0) & (labels == NOISE)
            labels[found] = cluster
            reached = np.flatnonzero(found & is_core)
        cluster += 1
    return labels


def _neighbours(vectors: Vectors, eps: float) -> NDArray[np.bool_]:
    """Returns which vectors are neighbours, as a matrix of shape (number, number)."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = vectors / np.where(lengths > 0, lengths, 1)
    near = np.empty((len(unit), len(unit)), np.bool_)
    for start in range(0, len(unit), BLOCK):
        near[start : start + BLOCK] = 1 - unit[start : start + BLOCK] @ unit.T <= eps
    np.fill_diagonal(near, True)  # A vector of zeros has no direction, but it is its own neighbour.
    return near
