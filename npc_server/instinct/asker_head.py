"""Whether a question may be about the one who asks it, by its meaning: one weight for each number of its embedding.

"When is my birthday?" may be answered with what the asker told, and "When is your birthday?" may not. The weights stand in
`data/asker_head.json`, fitted by `models/asker`. They are for the embedding model in the box. With another one every question may be.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from npc_server.data_files import read_json
from npc_server.llm.engine import Vectors


@dataclass(frozen=True)
class _AskerWeights:
    weights: Vectors
    constant: float
    least: float


@cache
def _heads() -> Mapping[str, _AskerWeights]:
    """By the name of the embedding model."""
    return {
        name: _AskerWeights(np.array(it["weights"], np.float32), it["constant"], it["least"])
        for name, it in read_json("asker_head.json").items()
    }


def may_be_about_asker(embedder: str, question: Vectors) -> bool:
    """`question` is its vector, shape (dimensions,)."""
    head = _heads().get(embedder)
    return head is None or float(question @ head.weights) + head.constant >= head.least
