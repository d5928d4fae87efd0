"""The importance of a memory by its meaning (Generative Agents, section 4.1): one weight for each number of its embedding.

The weights stand in `data/importance_head.json`, fitted on rated lines by `models/importance`. They are for the embedding model in the box.
With another one, a few words that matter decide.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from npc_server.english.stems import stems_of
from npc_server.instinct import act
from npc_server.instinct.linear_head import LinearHead, linear_heads
from npc_server.llm.engine import Vectors

PLAIN = 3
"""Importance where neither the meaning nor a word tells more."""
LEAST, MOST = 1, 10


def _heads() -> Mapping[str, LinearHead]:
    return linear_heads("importance_head.json")


def ratings(embedder: str, texts: Sequence[str], vectors: Vectors) -> list[int]:
    """1 (mundane) to 10 (life changing) for each text. `vectors` has shape (len(texts), dimensions), zeros where a text has none."""
    head = _heads().get(embedder)
    if head is None:
        return [_by_words(text) for text in texts]
    meant = np.clip(np.rint(head.of(vectors)), LEAST, MOST)
    return [int(value) if row.any() else _by_words(text) for text, row, value in zip(texts, vectors, meant, strict=True)]


def weight_of(text: str) -> int:
    """Returns the importance of the most important word; 0 when none stands out."""
    words = stems_of(text)
    return next((level for level, known in act.important_words() if words & known), 0)


def _by_words(text: str) -> int:
    return max(PLAIN, weight_of(text))
