"""Prompts as minds ask them, for benchmarks that compare engines: the same words, lengths and order for each engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from npc_eval.benchmarks.texts import about

Sharing = Literal["none", "third", "most"]
SHARINGS: tuple[Sharing, ...] = ("none", "third", "most")
PROMPT_TOKENS = (300, 1200)
REPLY_TOKENS = (20, 200)
SHARED_OF_MOST, OWN_OF_MOST = 300, 64
"""Tokens with `most`: what everybody's prompt begins with, and each one's own."""


@dataclass(frozen=True)
class Asked:
    """One prompt."""

    system: str
    user: str
    reply_tokens: int
    """The reply has just so many."""


def workload(sharing: Sharing, count: int, mark: str, per_word: float, seed: int = 11) -> list[Asked]:
    """Draws `count` prompts of 300 to 1,200 tokens with replies of 20 to 200, evenly on a logarithmic scale.

    With `third` all begin with the same third of the mean length. With `most` they share 300 tokens and have 64 of their own. `mark`
    makes them differ from the prompts of other runs.
    """
    rng = np.random.default_rng(seed)

    def drawn(low: int, high: int) -> list[int]:
        """Takes one length from each of `count` equal parts, in random order, so that few draws cover the range, too."""
        at = (rng.permutation(count) + rng.random(count)) / count
        return [int(length) for length in np.round(low * (high / low) ** at)]

    lengths, replies = drawn(*PROMPT_TOKENS), drawn(*REPLY_TOKENS)
    shared = SHARED_OF_MOST if sharing == "most" else sum(lengths) // count // 3
    found = []
    for n, (length, reply) in enumerate(zip(lengths, replies, strict=True)):
        if sharing == "none":
            system, own = about(length // 3, per_word, f"{mark} {n}"), length - length // 3
        else:
            system, own = about(shared, per_word, f"{mark} all"), OWN_OF_MOST if sharing == "most" else max(length - shared, OWN_OF_MOST)
        found.append(Asked(system, about(own, per_word, f"question {n} of {mark}"), reply))
    return found
