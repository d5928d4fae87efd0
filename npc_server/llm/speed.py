"""How fast a model is on this machine, and what it can therefore be asked."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Speed:
    """Tokens per second of a single question while the model does nothing else."""

    read_per_s: float
    """Of a prompt that is not in the KV cache."""
    written_per_s: float
    """Of a reply."""


def takes_s(speed: Speed, *, read_tokens: int, written_tokens: int) -> float:
    """Return about how many seconds a question takes: `read_tokens` of its prompt are new, and the reply has `written_tokens`."""
    return read_tokens / speed.read_per_s + written_tokens / speed.written_per_s


def fits(speed: Speed | None, *, read_tokens: int, written_tokens: int, within_s: float) -> bool:
    """Return whether a question can be answered in time. Where the speed is not known, it can."""
    return speed is None or takes_s(speed, read_tokens=read_tokens, written_tokens=written_tokens) <= within_s
