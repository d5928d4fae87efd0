"""The sampling parameters, and those that a model's file recommends. `sampling.py` uses them, but commands need not load its libraries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class SamplingParameters:
    """Temperature, top-p and min-p. Temperature 0 takes the likeliest token."""

    temperature: float
    top_p: float
    min_p: float


PENALTY_TOKENS = 64
"""How many of the latest tokens a repeat penalty sees (llama.cpp's default)."""


@dataclass(frozen=True)
class Penalty:
    """Makes tokens less likely that were read or written just before: positive logits are divided, negative ones multiplied."""

    by: float = 1.0
    read: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, np.int32))
    """The latest tokens of the prompt, shape (tokens,)."""


USUAL = SamplingParameters(0.7, 0.95, 0.05)
_KEYS = (("temp", 0.0, 2.0, USUAL.temperature), ("top_p", 1e-6, 1.0, USUAL.top_p), ("min_p", 0.0, 1.0, USUAL.min_p))


def recommended(values: Mapping[str, object]) -> SamplingParameters:
    """Returns what a GGUF header recommends in `general.sampling.temp`, `.top_p` and `.min_p`.

    The usual value replaces one that is missing or out of range.
    """
    found: list[float] = []
    for key, low, high, usual in _KEYS:
        value = values.get(f"general.sampling.{key}")
        found.append(float(value) if isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high else usual)
    return SamplingParameters(*found)
