"""Mind wandering shows memories drawn at random in prompts: a few for a day's plan, seldom one for a line or a reaction (AGA, section 3.3).

Similar memories form clusters (DBSCAN over their embeddings). The larger the cluster of a memory, the less likely it is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from npc_server.affordable.dbscan import NOISE, dbscan
from npc_server.llm.engine import Vectors
from npc_server.mind.mind import Mind
from npc_server.mind.retrieve import memory_line
from npc_server.records import GameTime, Memory, MemoryKind


def drawn(mind: Mind, now: GameTime) -> list[Memory]:
    """Returns the memories that cross the mind on this day, the oldest first. Returns none when wandering is off."""
    if not mind.settings.uses("wandering"):
        return []
    rng = np.random.default_rng(mind.seed_for("wander", mind.day_of(now)))
    return _sample(mind, mind.settings.wandering_memories, rng)


def crossing(mind: Mind, question: str, moment: object, now: GameTime, shown: Sequence[str]) -> list[str]:
    """Returns the memory that crosses the mind at a line or a reaction, as a prompt shows it; mostly none.

    `moment` distinguishes questions of the same game time, for the seed. `shown` are the lines that the prompt shows anyway. The
    persona's `secrets` never cross the mind in a talk. A small model, which is shown suggested answers, is shown no such memory.
    """
    if not mind.settings.uses("wandering") or not mind.asks(question) or mind.engine.status().drafts:
        return []
    rng = np.random.default_rng(mind.seed_for("wander", question, now, moment))
    if rng.random() >= mind.settings.wandering_rate:
        return []
    found = [memory for memory in _sample(mind, 1, rng) if memory.kind is not MemoryKind.SEED or not mind.persona.keeps_back(memory.text)]
    return [line for memory in found if not {line := memory_line(mind, memory, now), memory.text} & set(shown)]


def cluster_sizes(vectors: Vectors, eps: float, min_samples: int) -> NDArray[np.float64]:
    """Returns the size of each memory's cluster. A memory that is similar to no other is a cluster of its own."""
    labels = dbscan(vectors, eps, min_samples)
    sizes = np.bincount(labels[labels != NOISE], minlength=1)
    return np.asarray(np.where(labels != NOISE, sizes[labels], 1), np.float64)


def _sample(mind: Mind, count: int, rng: np.random.Generator) -> list[Memory]:
    """Draws so many of the latest memories, each with a weight of 1 / the size of its cluster. Returns the oldest first."""
    # Plans are left out, because retrieval already shows yesterday's plan.
    memories, vectors = mind.stream.latest_vectors(mind.settings.wandering_window, without=(MemoryKind.PLAN,))
    if not memories:
        return []
    weights = 1.0 / cluster_sizes(vectors, mind.settings.wandering_eps, mind.settings.wandering_min_samples)
    chosen = rng.choice(len(memories), size=min(count, len(memories)), replace=False, p=weights / weights.sum())
    return [memories[i] for i in sorted(int(i) for i in chosen)]
