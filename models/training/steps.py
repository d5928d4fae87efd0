"""The steps of a training on a GPU: what npc-rerank and npc-answers share."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from models.training.packed import PackedRow, batches

LATEST = 100
"""Steps over which the loss is told."""

Rows = Mapping[str, Sequence[PackedRow]]


@dataclass(frozen=True)
class Plan:
    """What a run does. With the machine's speed this determines the result."""

    minutes: float
    rate: float
    rank: int
    alpha: float
    tokens: int = 32_768
    """Tokens of a step, at most."""
    floor: float = 0.03
    """Share of the rate that is left at the end; it falls along a line."""
    dropped: float = 0.05
    decay: float = 0.01
    warm_steps: int = 60
    seed: int = 1


@dataclass(frozen=True)
class Step:
    """How far a training is."""

    number: int
    share: float
    """Share of the minutes that are over."""
    tokens: int
    wanted: int
    """Tokens, and what was wanted after them, of all steps."""
    loss: float
    """The mean of the latest steps."""


def one_pass(rows: Rows, shares: Mapping[str, float], tokens: int, rng: random.Random) -> Iterator[list[PackedRow]]:
    """The rows of each kind as often as its share says, in batches."""
    chosen = [row for kind, share in shares.items() for row in rows[kind] for _ in range(int(share + rng.random()))]
    yield from batches(chosen, tokens, rng)


def steps(
    net: nn.Module, rows: Rows, shares: Mapping[str, float], plan: Plan, loss_of: Callable[[Sequence[PackedRow]], Tensor]
) -> Iterator[Step]:
    """Trains until the minutes are over, pass after pass. Yields after each step."""
    optimizer = torch.optim.AdamW(net.parameters(), lr=plan.rate, weight_decay=plan.decay, betas=(0.9, 0.98))
    rng, began, losses = random.Random(plan.seed), time.monotonic(), list[float]()
    step = Step(0, 0.0, 0, 0, 0.0)
    while step.share < 1:
        for batch in one_pass(rows, shares, plan.tokens, rng):
            for group in optimizer.param_groups:
                group["lr"] = plan.rate * min(1.0, (step.number + 1) / plan.warm_steps) * max(plan.floor, 1 - step.share)
            loss = loss_of(batch)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            losses = [*losses[1 - LATEST :], loss.item()]
            tokens, wanted = step.tokens + sum(map(len, batch)), step.wanted + sum(len(row.wanted) for row in batch)
            step = Step(step.number + 1, (time.monotonic() - began) / 60 / plan.minutes, tokens, wanted, float(np.mean(losses)))
            yield step
            if step.share >= 1:
                break
