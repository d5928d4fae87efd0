"""What npc-rerank and npc-answers learn from: texts with how well each answers, and which of two answers better."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from models.training.packed import HELD, PackedRow, by_length
from models.training.steps import Rows

SHARES: Mapping[str, float] = {
    "tales": 0.4, "memories": 1.0, "lines": 1.0, "judged": 0.5, "general": 0.5, "moment": 0.5, "exchanges": 0.3, "talks": 0.5,
    "scored": 1.0, "played": 2.0,
}  # fmt: skip
"""How often an example of each kind comes in a pass."""
APART = 0.05
"""By so much one text has to answer better than another, for the order to count."""
FINE = 0.5
"""A text that answers better than this is a good one."""


def loss_of(odds: Tensor, batch: Sequence[PackedRow], apart: float) -> Tensor:
    """The cross entropy of "answers" and "does not", and that of the order of each two texts of an example (Bradley and Terry 1952).

    The order counts by how much better one of them answers, if that is more than `apart`.
    """
    fits = torch.from_numpy(np.concatenate([row.wanted for row in batch])).to(odds.device)
    of = torch.from_numpy(np.repeat(np.arange(len(batch)), [len(row.wanted) for row in batch])).to(odds.device)
    better = fits[:, None] - fits[None]
    better = better * ((of[:, None] == of[None]) & (better > apart))
    order = (F.softplus(odds[None] - odds[:, None]) * better).sum() / better.sum().clamp(min=1e-6)
    return F.binary_cross_entropy_with_logits(odds, fits) + order


def told_apart(odds_of: Callable[[Sequence[PackedRow]], Tensor], rows: Rows, tokens: int) -> dict[str, tuple[float, float]]:
    """Two shares by kind of what is held back: of the pairs of an answering and another text of an example those in the right order, and of
    the examples with a good text those whose best text is good.
    """
    found: dict[str, tuple[float, float]] = {}
    for kind in (kind for kind in rows if kind.startswith(HELD)):
        pairs, best = list[bool](), list[bool]()
        for batch in by_length(rows[kind], tokens):
            with torch.no_grad():
                odds = odds_of(batch).float().cpu().numpy()
            for row in batch:
                mine, odds = odds[: len(row.wanted)], odds[len(row.wanted) :]
                good = row.wanted > FINE
                pairs.extend((mine[good][:, None] > mine[~good][None]).ravel().tolist())
                best.extend([bool(good[mine.argmax()])] if good.any() else [])
        found[kind.removeprefix(HELD)] = (round(float(np.mean(pairs)), 4), round(float(np.mean(best)), 4))
    return found
