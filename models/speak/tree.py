"""Packs prompts that begin alike into one row of tokens, so that training computes what they share only once.

The replies of a talk have nearly the same prompt. As a tree, a talk has two fifths of the tokens that its replies have one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from npc_server.llm.shared_start import shared_start

STEP = 128
"""Rows are filled up to a multiple of this, since oneDNN keeps memory for each length that it sees."""


@dataclass(frozen=True)
class Row:
    """Tokens of several prompts with their answers; what prompts share stands there once.

    All arrays but `sees` have the row's length.
    """

    ids: NDArray[np.int64]
    at: NDArray[np.int64]
    """Position of each token in its own prompt."""
    sees: NDArray[np.bool_]
    """length × length: whether a token attends to another one."""
    asked: NDArray[np.int64]
    """Places of the tokens from which the next token of an answer is foretold."""
    answers: NDArray[np.int64]
    """These next tokens."""


def pack(pairs: Iterable[tuple[Sequence[int], Sequence[int]]]) -> Row:
    """Packs prompts and answers, each as tokens. A prompt and an answer have at least one token each."""
    ids: list[int] = []
    parents: list[int] = []
    asked: list[int] = []
    answers: list[int] = []
    paths: list[tuple[Sequence[int], list[int]]] = []
    for prompt, answer in pairs:
        shared: list[int] = []
        for other, path in paths:
            length = shared_start(prompt, other)
            if length > len(shared):
                shared = path[:length]
        path = list(shared)
        for token in [*prompt[len(shared) :], *answer[:-1]]:
            parents.append(path[-1] if path else -1)
            path.append(len(ids))
            ids.append(token)
        asked += path[len(prompt) - 1 :]
        answers += answer
        paths.append((prompt, path[: len(prompt)]))
    at, sees = _seen(parents)
    return Row(np.array(ids), at, sees, np.array(asked), np.array(answers))


def filled(row: Row) -> Row:
    """The row with tokens at its end that nobody sees, up to a multiple of `STEP`."""
    length = len(row.ids)
    more = -length % STEP
    sees = np.eye(length + more, dtype=np.bool_)
    sees[:length, :length] = row.sees
    return Row(np.pad(row.ids, (0, more)), np.pad(row.at, (0, more)), sees, row.asked, row.answers)


def _seen(parents: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The depth of each token in the tree, and which tokens it sees: itself, its parent, and all that its parent sees."""
    length = len(parents)
    at = np.zeros(length, np.int64)
    sees = np.eye(length, dtype=np.bool_)
    for i, parent in enumerate(parents):
        if parent >= 0:
            at[i] = at[parent] + 1
            sees[i] |= sees[parent]
    return at, sees
