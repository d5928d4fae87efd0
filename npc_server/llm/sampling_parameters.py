"""How tokens are drawn, and what a model's file says of it. Apart from the drawing itself, so that commands load no grammar library."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class SamplingParameters:
    """How tokens are drawn. Temperature 0 takes the likeliest."""

    temperature: float
    top_p: float
    min_p: float


USUAL = SamplingParameters(0.7, 0.95, 0.05)
_KEYS = (("temp", 0.0, 2.0, USUAL.temperature), ("top_p", 1e-6, 1.0, USUAL.top_p), ("min_p", 0.0, 1.0, USUAL.min_p))


def recommended(values: Mapping[str, object]) -> SamplingParameters:
    """What a GGUF file's header recommends (`general.sampling.temp`, `.top_p`, `.min_p`); the usual where it says nothing sound."""
    found: list[float] = []
    for key, low, high, usual in _KEYS:
        value = values.get(f"general.sampling.{key}")
        found.append(float(value) if isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high else usual)
    return SamplingParameters(*found)
