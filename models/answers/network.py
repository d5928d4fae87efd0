"""MiniLM's network with LoRA adapters: BERT's encoder, frozen, with two narrow matrices beside each of its wide ones.

BERT: Devlin et al. 2019, arXiv:1810.04805. A line and a text are read together (a cross-encoder), and the mean of all tokens' vectors is
turned into one number. LoRA: Hu et al. 2021, arXiv:2106.09685.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from models.training.base import read_file
from models.training.network import Adapted

MATRICES = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_up", "ffn_down")
NORMS = ("attn_output_norm", "layer_output_norm")


@dataclass(frozen=True)
class EncoderBase:
    """The embedding model as its file has it: tensors by llama.cpp's names, as float32."""

    layers: int
    heads: int
    eps: float
    tensors: Mapping[str, Tensor]


def read(path: Path) -> EncoderBase:
    fields, tensors = read_file(path)
    return EncoderBase(
        fields["bert.block_count"], fields["bert.attention.head_count"], fields["bert.attention.layer_norm_epsilon"], tensors
    )


class EncoderBlock(nn.Module):  # type: ignore[misc, unused-ignore]
    def __init__(self, of: Mapping[str, Tensor], heads: int, eps: float, rank: int, scale: float, dropped: float) -> None:
        super().__init__()
        self.heads, self.eps, self.dropped = heads, eps, dropped
        for name in MATRICES:
            self.add_module(name, Adapted(of[f"{name}.weight"], rank, scale))
            self.register_buffer(f"{name}_bias", of[f"{name}.bias"], persistent=False)
        for name in NORMS:
            self.register_buffer(f"{name}_weight", of[f"{name}.weight"], persistent=False)
            self.register_buffer(f"{name}_bias", of[f"{name}.bias"], persistent=False)

    def forward(self, x: Tensor, hides: Tensor) -> Tensor:
        """Takes and returns texts × length × width. `hides` is added to the scores of attention: texts × 1 × 1 × length."""
        q, k, v = (self._times(name, x).unflatten(-1, (self.heads, -1)).transpose(1, 2) for name in MATRICES[:3])
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=hides).transpose(1, 2).flatten(2)
        x = self._normed(NORMS[0], x + F.dropout(self._times("attn_output", mixed), self.dropped, self.training))
        wide = F.gelu(self._times("ffn_up", x))
        return self._normed(NORMS[1], x + F.dropout(self._times("ffn_down", wide), self.dropped, self.training))

    def _times(self, name: str, x: Tensor) -> Tensor:
        matrix: Adapted = getattr(self, name)
        flat = x.reshape(-1, x.shape[-1])
        found: Tensor = matrix(flat).view(*x.shape[:-1], -1) + self.get_buffer(f"{name}_bias")
        return found

    def _normed(self, name: str, x: Tensor) -> Tensor:
        return F.layer_norm(x, (x.shape[-1],), self.get_buffer(f"{name}_weight"), self.get_buffer(f"{name}_bias"), self.eps)


class PairNetwork(nn.Module):  # type: ignore[misc, unused-ignore]
    """Only the adapters and the head are trained."""

    def __init__(self, base: EncoderBase, rank: int, alpha: float, dropped: float = 0.0) -> None:
        super().__init__()
        self.rank, self.alpha, self.eps = rank, alpha, base.eps
        of = base.tensors
        self.register_buffer("tokens", of["token_embd.weight"], persistent=False)
        self.register_buffer("places", of["position_embd.weight"], persistent=False)
        self.register_buffer("kind", of["token_types.weight"][0], persistent=False)
        self.register_buffer("norm", of["token_embd_norm.weight"], persistent=False)
        self.register_buffer("norm_bias", of["token_embd_norm.bias"], persistent=False)
        self.blocks = nn.ModuleList(
            EncoderBlock(
                {name.removeprefix(f"blk.{i}."): t for name, t in of.items() if name.startswith(f"blk.{i}.")},
                base.heads, base.eps, rank, alpha / rank, dropped,
            )
            for i in range(base.layers)
        )  # fmt: skip
        width = of["token_embd.weight"].shape[1]
        self.head = nn.Parameter(torch.randn(width) * width**-0.5)
        self.bias = nn.Parameter(torch.zeros(()))

    def forward(self, ids: Tensor, lengths: Tensor) -> Tensor:
        """The log odds that each text answers its line, from tokens of shape texts × length."""
        hidden = torch.arange(ids.shape[1], device=ids.device)[None] >= lengths[:, None]
        hides = torch.zeros(hidden.shape, device=ids.device).masked_fill_(hidden, float("-inf"))[:, None, None]
        x = F.embedding(ids, self.get_buffer("tokens")) + self.get_buffer("places")[: ids.shape[1]] + self.get_buffer("kind")
        x = F.layer_norm(x, (x.shape[-1],), self.get_buffer("norm"), self.get_buffer("norm_bias"), self.eps)
        for block in self.blocks:
            x = block(x, hides)
        mean = (x * ~hidden[..., None]).sum(1) / lengths[:, None]
        return F.normalize(mean, dim=-1) @ self.head * len(self.head) ** 0.5 + self.bias
