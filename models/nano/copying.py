"""A network that copies before it has learned anything.

What small models lack is to find a word of the prompt again and say what followed it. Two layers of attention can do that (an
induction head), and training finds it late. Here they begin as one:

1. Heads of the first layer look at the tokens just before. The key bias is a constant vector with most weight on the fastest rotary
   pairs, the query bias the same one turned back by the distance, so that the score after rotation peaks there. They write what they
   see into directions of their own.
2. Heads of the second layer ask for the token of now and are answered by those directions: where this token stood before, the next
   one follows. They use the slow rotary pairs alone, so that the distance hardly matters, and write what stands there where the
   output reads it.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from models.nano.network import Block, Network, Shape, frequencies

DISTANCES = (1, 1, 2, 3)
"""How far back each of the first heads looks."""
READ_BY_NEXT = 2
"""Heads of the first layer whose directions the second layer reads."""
FINDING = 6
"""Heads of the second layer that find, at most three quarters of all."""
SEEN, ASKED, ANSWERED, WRITTEN, SAID, TOLD = 0.6, 4.0, 1.2, 0.6, 0.5, 4.0
"""Sizes, found by trying: value and output of the first heads, query and key of the second, their value and output."""


def teach_copying(network: Network, seed: int = 5) -> None:
    """Sets the first two layers' weights. The rest stays as it is."""
    generator = torch.Generator().manual_seed(seed)
    first, second = network.blocks[0], network.blocks[1]
    assert isinstance(first, Block)
    assert isinstance(second, Block)
    with torch.no_grad():
        nn.init.normal_(first.out.weight, std=0.02)
        _look_back(first, network.shape)
        _find(first, second, network.shape, generator)


def _parts(block: Block, shape: Shape) -> tuple[Tensor, Tensor, Tensor]:
    """Views: weights (query, key, value) × head × its width × width, their biases, output width × head × its width."""
    weight = block.qkv.weight.view(3, shape.heads, shape.head, shape.width)
    return weight, block.qkv.bias.view(3, shape.heads, shape.head), block.out.weight.view(shape.width, shape.heads, shape.head)


def _look_back(block: Block, shape: Shape) -> None:
    weight, bias, _ = _parts(block, shape)
    half = shape.head // 2
    strength = torch.zeros(half)
    strength[:5], strength[5:8] = 6.0, 3.0
    for head, distance in enumerate(DISTANCES[: shape.heads]):
        bias[1, head, :half] = strength
        bias[0, head, :half] = strength * torch.cos(distance * frequencies(shape))
        bias[0, head, half:] = -strength * torch.sin(distance * frequencies(shape))
        weight[:2, head] *= 0.1


def _find(first: Block, second: Block, shape: Shape, generator: torch.Generator) -> None:
    before, _, written = _parts(first, shape)
    weight, bias, out = _parts(second, shape)
    half = shape.head // 2
    slow = torch.tensor([*range(half // 2, half), *range(half + half // 2, shape.head)])
    sources = min(READ_BY_NEXT, shape.heads)
    for head in range(sources):
        before[2, head] = _across(shape.width, shape.head, generator).T * SEEN
        written[:, head] = _across(shape.width, shape.head, generator) * WRITTEN
    for head in range(min(FINDING, shape.heads * 3 // 4)):
        source = head % sources
        mixed = _across(shape.head, shape.head, generator)[: len(slow)]
        weight[:2, head] = 0
        bias[:, head] = 0
        weight[0, head, slow] = ASKED * mixed @ before[2, source]
        weight[1, head, slow] = ANSWERED * mixed @ written[:, source].T / WRITTEN**2
        said = _across(shape.width, shape.head, generator)
        weight[2, head], out[:, head] = said.T * SAID, said * TOLD


def _across(rows: int, columns: int, generator: torch.Generator) -> Tensor:
    """Random directions at right angles, rows × columns."""
    return torch.linalg.qr(torch.randn(rows, columns, generator=generator))[0]
