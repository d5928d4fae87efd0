"""Quantization-aware training: computing with weights of four bits, as llama.cpp's Q4_0 rounds them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor

from models.nano.network import Network

BLOCK = 32
"""Weights that share a scale."""


def round_q4_0(weight: Tensor) -> Tensor:
    """A matrix after quantization to Q4_0 and back. In each block, the weight of largest magnitude becomes minus eight steps."""
    blocks = weight.reshape(-1, BLOCK)
    largest = blocks.gather(1, blocks.abs().argmax(1, keepdim=True))
    step = largest / -8
    inverse = torch.where(step == 0, torch.zeros_like(step), 1 / step)
    levels = (blocks * inverse + 8.5).floor_().clamp_(0, 15).sub_(8)
    return levels.mul_(step.half().float()).view_as(weight)


@contextmanager
def quantized(network: Network, wanted: bool = True) -> Iterator[None]:
    """Inside, the network computes with quantized matrices. Afterwards it has its own ones again.

    Gradients are used as they are (straight-through estimator; Bengio et al. 2013, arXiv:1308.3432).
    """
    matrices = [p for block in network.blocks for p in block.parameters() if p.ndim > 1] if wanted else []
    whole = [p.data for p in matrices]
    try:
        for p in matrices:
            p.data = round_q4_0(p.data)
        yield
    finally:
        for p, data in zip(matrices, whole, strict=True):
            p.data = data
