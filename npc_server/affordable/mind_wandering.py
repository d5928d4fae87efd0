"""Mind wandering: a few memories drawn at random go into the plan of a day, weighted against repetition (AGA, section 3.3).

Memories that are alike form clusters (DBSCAN over their embeddings); one of a large cluster is as unlikely as the cluster is large.
scikit-learn does the clustering. It comes with the extra `wander`; without it nothing crosses the mind.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec

import numpy as np
import structlog
from numpy.typing import NDArray

from npc_server.llm.engine import Vectors
from npc_server.mind.mind import Mind
from npc_server.records import GameTime, Memory, MemoryKind


def drawn(mind: Mind, now: GameTime) -> list[Memory]:
    """What crosses the mind on this day, the oldest first; nothing where wandering is off."""
    if not mind.settings.uses("wandering") or not can_cluster():
        return []
    # Plans are left out: what was planned yesterday crosses the mind by retrieval.
    memories, vectors = mind.stream.latest_vectors(mind.settings.wandering_window, without=(MemoryKind.PLAN,))
    if not memories:
        return []
    weights = 1.0 / cluster_sizes(vectors, mind.settings.wandering_eps, mind.settings.wandering_min_samples)
    rng = np.random.default_rng(mind.seed_for("wander", mind.day_of(now)))
    count = min(mind.settings.wandering_memories, len(memories))
    chosen = rng.choice(len(memories), size=count, replace=False, p=weights / weights.sum())
    return [memories[i] for i in sorted(int(i) for i in chosen)]


def cluster_sizes(vectors: Vectors, eps: float, min_samples: int) -> NDArray[np.float64]:
    """How many memories are in the cluster of each; what is like no other is a cluster of its own."""
    from sklearn.cluster import DBSCAN

    labels = DBSCAN(eps=eps, min_samples=min_samples, metric="cosine").fit_predict(vectors)
    sizes = np.bincount(labels[labels >= 0], minlength=1)
    return np.asarray(np.where(labels >= 0, sizes[labels], 1), np.float64)


@cache
def can_cluster() -> bool:
    """Whether scikit-learn is installed. Looked up, and told, once."""
    if find_spec("sklearn") is not None:
        return True
    structlog.get_logger(__name__).warning(
        "Minds do not wander: scikit-learn is not installed",
        fix='Install it with `pip install "npc-server[wander]"`, or set mind.wandering = false.',
    )
    return False
