"""Weights that are multiplied with the embedding of a text. `models/` fits them, and files in `data/` keep them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from npc_server.data_files import read_json
from npc_server.llm.engine import Vectors


@dataclass(frozen=True)
class LinearHead:
    """One weight for each dimension, and a constant."""

    weights: Vectors
    constant: float

    def of(self, vectors: Vectors) -> Vectors:
        """One number for each row of `vectors`, whose shape is (rows, dimensions)."""
        found: Vectors = vectors @ self.weights + self.constant
        return found


@cache
def linear_heads(file: str) -> Mapping[str, LinearHead]:
    """The heads of a file, by the name of the embedding model."""
    return {name: LinearHead(np.array(it["weights"], np.float32), it["constant"]) for name, it in read_json(file).items()}
