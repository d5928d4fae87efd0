"""How much two sequences have in common at their beginning: tokens of prompts, or lines of texts."""

from __future__ import annotations

from collections.abc import Sequence


def shared_start(one: Sequence[object], other: Sequence[object]) -> int:
    """Returns how many of the first items are the same. For arrays of tokens, `shared_prefix.common_prefix` is faster."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
