"""The likelihood of texts that somebody else wrote: how likely the model would have written them itself.

The tokens of a text are decoded as a prompt's are, several at once. The logits of each tell the probability of the next one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from npc_server.errors import EngineError
from npc_server.llm.shared_start import shared_start

MOST_SCORED = 64
"""The most tokens of given texts in a decode. Each needs a row of logits: with 150,000 tokens in the vocabulary 64 rows take 38 MB."""
_ROWS = 8
"""So many rows of logits are worked on at once. Their intermediate results then stay in the processor's cache."""


@dataclass(frozen=True)
class FinishedScore:
    """What is known of a given text. `read_tokens` had to be decoded for it."""

    id: int
    logprob: float
    """Natural logarithm, summed over the text's tokens."""
    tokens: int
    read_tokens: int


def read_given(read: Callable[[str], list[int]], given: str, text: str) -> tuple[list[int], int]:
    """Returns the tokens of `given` and `text` together, and how many of the last ones are scored. `read` makes tokens of a text.

    Both are read as one text, as a reply is written. The first token that `given` alone does not have is the first one scored. Most
    tokens begin with the space before a word, so the spaces at the end of `given` are scored with the text.
    """
    whole, start = read(given + text), read(given.rstrip(" "))
    same = shared_start(whole, start)
    return whole, len(whole) - same


def log_probability(logits: NDArray[np.float32], tokens: NDArray[np.int32]) -> float:
    """Adds up the log probabilities of `tokens`, shape (tokens,), by the logits before each of them, shape (tokens, vocabulary)."""
    total = 0.0
    for at in range(0, len(tokens), _ROWS):
        rows, chosen = logits[at : at + _ROWS], tokens[at : at + _ROWS]
        highest = rows.max(axis=1)
        sums = np.exp(rows - highest[:, None]).sum(axis=1, dtype=np.float64)
        total += float((rows[np.arange(len(chosen)), chosen] - highest - np.log(sums)).sum(dtype=np.float64))
    return total


def cannot_score(engine: str) -> EngineError:
    """Makes the error of an engine that has no probabilities. `engine` names it at the start of a sentence."""
    return EngineError(f"{engine} cannot say how likely a text is.", "Ask only engines whose status says `scores`.")
