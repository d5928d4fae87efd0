"""Mind wandering shows memories drawn at random in prompts: a few for a day's plan, seldom one for a line or a reaction (AGA, section 3.3).

Similar memories form clusters (DBSCAN over their embeddings). The larger the cluster of a memory, the less likely it is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from npc_server.affordable.dbscan import NOISE, dbscan
from npc_server.english.text import PROMISED
from npc_server.llm.engine import Vectors
from npc_server.mind.mind import Mind
from npc_server.mind.retrieve import is_in_identity, memory_line
from npc_server.records import GameTime, Memory, MemoryKind, MemoryTopic

DULL = 2
"""Importance up to which what was merely seen crosses no mind at a line or a reaction."""


def drawn(mind: Mind, now: GameTime) -> list[Memory]:
    """Returns the memories that cross the mind on this day, the oldest first. Returns none when wandering is off."""
    if not mind.settings.uses("wandering"):
        return []
    rng = np.random.default_rng(mind.seed_for("wander", mind.day_of(now)))
    return _sample(mind, mind.settings.wandering_memories, rng, lambda memory: not is_in_identity(mind, memory))


def crossing(mind: Mind, question: str, moment: object, now: GameTime, shown: Sequence[str], without: Collection[int] = ()) -> list[str]:
    """Returns the memory that crosses the mind at a line or a reaction, as a prompt shows it; mostly none.

    `moment` distinguishes questions of the same game time, for the seed. What the prompt shows anyway crosses no mind: the lines `shown`,
    the memories with ids `without`, own promises, and the identity with its secrets.
    """
    if not mind.settings.uses("wandering") or not mind.answerer.asks(question):
        return []
    rng = np.random.default_rng(mind.seed_for("wander", question, now, moment))
    if rng.random() >= mind.settings.wandering_rate:
        return []
    told = set(shown)

    def is_new(memory: Memory) -> bool:
        known = memory.id in without or memory.predicate == PROMISED or is_in_identity(mind, memory)
        # What something looked like hours ago is as likely false by now, and nobody thinks of it.
        is_dull = memory.kind is MemoryKind.OBSERVATION and memory.topic is not MemoryTopic.OWN_DEEDS and memory.importance <= DULL
        return not known and not is_dull and not {memory_line(mind, memory, now), memory.text} & told

    return [memory_line(mind, memory, now) for memory in _sample(mind, 1, rng, is_new)]


def cluster_sizes(vectors: Vectors, eps: float, min_samples: int) -> NDArray[np.float64]:
    """Returns the size of each memory's cluster. A memory that is similar to no other is a cluster of its own."""
    labels = dbscan(vectors, eps, min_samples)
    sizes = np.bincount(labels[labels != NOISE], minlength=1)
    return np.asarray(np.where(labels != NOISE, sizes[labels], 1), np.float64)


def _sample(mind: Mind, count: int, rng: np.random.Generator, may_cross: Callable[[Memory], bool]) -> list[Memory]:
    """Draws so many of the latest memories, each with a weight of 1 / the size of its cluster. Returns the oldest first."""
    # Plans are left out, because retrieval already shows yesterday's plan.
    memories, vectors = mind.stream.latest_vectors(mind.settings.wandering_window, without=(MemoryKind.PLAN,))
    kept = [i for i, memory in enumerate(memories) if may_cross(memory)]
    if not kept:
        return []
    memories, vectors = [memories[i] for i in kept], vectors[kept]
    weights = 1.0 / cluster_sizes(vectors, mind.settings.wandering_eps, mind.settings.wandering_min_samples)
    chosen = rng.choice(len(memories), size=min(count, len(memories)), replace=False, p=weights / weights.sum())
    return [memories[i] for i in sorted(int(i) for i in chosen)]
