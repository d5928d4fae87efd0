"""Sizes and matrices of SmolLM2 with LoRA adapters: two narrow matrices beside each of its wide ones, which are frozen.

LoRA: Hu et al. 2021, arXiv:2106.09685. llama.cpp reads the adapters from a file that `adapter_file.py` writes.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

PARTS = {"qkv": ("attn_q", "attn_k", "attn_v"), "out": ("attn_output",), "gate_up": ("ffn_gate", "ffn_up"), "down": ("ffn_down",)}
"""Our matrices, and those of llama.cpp of which each consists, row below row."""


@dataclass(frozen=True)
class Shape:
    """Sizes of the network, as a GGUF file's header has them."""

    width: int
    layers: int
    heads: int
    pairs: int
    """Number of key-value heads."""
    hidden: int
    rope_base: float
    eps: float

    @property
    def head(self) -> int:
        return self.width // self.heads

    def rows(self, part: str) -> tuple[int, ...]:
        """Outputs of each matrix of llama.cpp's in one of ours."""
        narrow = self.pairs * self.head
        return {"qkv": (self.width, narrow, narrow), "out": (self.width,), "gate_up": (self.hidden, self.hidden), "down": (self.width,)}[
            part
        ]


class Adapted(nn.Module):  # type: ignore[misc, unused-ignore]
    """A frozen matrix W and its adapter: y = W x + scale · B A x. B begins at zero."""

    def __init__(self, weight: Tensor, rank: int, scale: float) -> None:
        super().__init__()
        outputs, inputs = weight.shape
        self.scale = scale
        self.register_buffer("weight", weight, persistent=False)
        self.a = nn.Parameter(torch.randn(rank, inputs) * inputs**-0.5)
        self.b = nn.Parameter(torch.zeros(outputs, rank))

    def forward(self, x: Tensor) -> Tensor:
        weight = self.get_buffer("weight")
        narrow = F.linear(x, self.a.to(x.dtype)) * self.scale
        return torch.addmm(F.linear(x, weight), narrow, self.b.to(x.dtype).t())


def turn(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Rotary position embedding, which rotates neighbouring pairs, as llama.cpp does for this architecture."""
    even, odd = x[..., ::2], x[..., 1::2]
    return torch.stack([even * cos - odd * sin, even * sin + odd * cos], -1).flatten(-2)
