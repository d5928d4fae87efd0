"""The retrieval score: recency, importance and relevance are normalised, weighted and added (Generative Agents, section 4.1).

Everything here is a plain function of arrays with one entry for each memory. `MemoryStream.retrieve` calls them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from npc_server import clock
from npc_server.memory.vectors import Vector, Vectors
from npc_server.records import GameTime

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
COSINE_DIGITS = 6
"""Decimal digits that are kept of a cosine. Equal vectors in two rows may differ in the last bit, and must still tie."""


@dataclass(frozen=True)
class Weights:
    """How much each part counts in the score. The paper sets all to 1."""

    recency: float = 1.0
    importance: float = 1.0
    relevance: float = 1.0


@dataclass(frozen=True)
class Scores:
    """The score of each candidate and its three normalised parts. Each array has the shape (n,)."""

    total: Floats
    recency: Floats
    importance: Floats
    relevance: Floats


def recency(last_access: Integers, now: GameTime, decay: float) -> Floats:
    """Exponential decay with the game hours since each memory was last accessed: `decay ** hours`, shape (n,).

    `last_access` and `now` are game times in seconds. A memory that was accessed at `now` or later gets 1. The setting
    `mind.recency_decay` gives `decay`.
    """
    hours = np.maximum(now - last_access, 0) / clock.HOUR
    return np.asarray(np.power(decay, hours), np.float64)


def relevance(vectors: Vectors, query: Vector | None) -> Floats:
    """The cosine similarity of each memory's unit vector to the query's, shape (n,).

    `vectors` has the shape (n, dimensions), `query` the shape (dimensions,). Without a query everything is 0.
    """
    if query is None:
        return np.zeros(len(vectors))
    cosine = (vectors @ query).astype(np.float64)
    return np.asarray(np.round(cosine, COSINE_DIGITS), np.float64)


def normalised(values: Floats) -> Floats:
    """Min-max scaling to 0..1. If all values are the same, the result is all 0 and never NaN. `values` must not be empty."""
    low, high = values.min(), values.max()
    if not high > low:
        return np.zeros_like(values)
    return np.asarray((values - low) / (high - low), np.float64)


def score(recency: Floats, importance: Floats, relevance: Floats, weights: Weights) -> Scores:
    """Normalises the parts over the candidates and adds them up with their weights. Each part has the shape (n,), with n at least 1."""
    recency, importance, relevance = normalised(recency), normalised(importance), normalised(relevance)
    total = weights.recency * recency + weights.importance * importance + weights.relevance * relevance
    return Scores(total, recency, importance, relevance)


def best_k(total: Floats, ids: Integers, k: int) -> list[int]:
    """Indices of the `k` highest scores, the highest first. Of two equal scores, the one with the higher id comes first."""
    if k < len(total):
        bar = np.partition(total, len(total) - k)[len(total) - k]
        above, level = np.flatnonzero(total > bar), np.flatnonzero(total == bar)
        level = level[np.argsort(-ids[level])][: k - len(above)]
        candidates = np.concatenate([above, level])
    else:
        candidates = np.arange(len(total))
    order = np.lexsort((-ids[candidates], -total[candidates]))
    return [int(i) for i in candidates[order]]
