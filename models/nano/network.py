"""The network: Llama's architecture with biases on query, key and value, and a tied output. llama.cpp runs it as `qwen2`."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

EMBEDDING, OUTPUT = 0.3, 0.05
"""Standard deviations of the embedding, and of its scale in the output layer."""

AT_ONCE, WHOLE_UP_TO = 256, 384
"""Tokens whose attention is computed at once on a CPU, and the longest row that is computed whole."""


@dataclass(frozen=True)
class Shape:
    vocabulary: int = 4096
    width: int = 256
    layers: int = 6
    heads: int = 8
    hidden: int = 704
    rope_base: float = 10_000.0
    context: int = 2048
    sharing: int = 1
    """Query heads that share one key and value (grouped-query attention)."""
    eps: float = 1e-6
    """Epsilon of the norms."""

    @property
    def head(self) -> int:
        return self.width // self.heads

    @property
    def pairs(self) -> int:
        """Number of key-value heads."""
        return self.heads // self.sharing

    @property
    def parts(self) -> tuple[int, int, int]:
        """Widths of query, key and value of a token."""
        return self.heads * self.head, self.pairs * self.head, self.pairs * self.head


class Block(nn.Module):  # type: ignore[misc, unused-ignore]
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.heads, self.pairs, self.head, self.sharing = shape.heads, shape.pairs, shape.head, shape.sharing
        self.attention_norm = nn.RMSNorm(shape.width, eps=shape.eps)
        self.feed_norm = nn.RMSNorm(shape.width, eps=shape.eps)
        self.qkv = nn.Linear(shape.width, sum(shape.parts))
        self.out = nn.Linear(shape.width, shape.width, bias=False)
        self.gate_up = nn.Linear(shape.width, 2 * shape.hidden, bias=False)
        self.down = nn.Linear(shape.hidden, shape.width, bias=False)
        nn.init.zeros_(self.qkv.bias)
        for layer in (self.out, self.down):
            nn.init.normal_(layer.weight, std=0.02 / math.sqrt(2 * shape.layers))

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor, at: Tensor | None = None) -> Tensor:
        """Takes and returns batch × length × width. With `at`, returns only these positions of the flattened batch: positions × width."""
        batch, length, width = x.shape
        all_heads = self.qkv(self.attention_norm(x)).view(batch, length, -1, self.head).transpose(1, 2)
        q, k, v = all_heads.split([self.heads, self.pairs, self.pairs], 1)
        q, k = turn(q, cos, sin), turn(k, cos, sin)
        if self.sharing > 1:
            k, v = k.repeat_interleave(self.sharing, 1), v.repeat_interleave(self.sharing, 1)
        mixed = attend(q, k, v).transpose(1, 2).reshape(batch, length, width)
        if at is not None:
            x, mixed = x.reshape(-1, width)[at], mixed.reshape(-1, width)[at]
        x = x + self.out(mixed)
        gate, up = self.gate_up(self.feed_norm(x)).chunk(2, -1)
        added: Tensor = x + self.down(F.silu(gate) * up)
        return added


@torch.compiler.disable  # type: ignore[untyped-decorator, unused-ignore]
def attend(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Causal attention. All tensors are batch × heads × length × head.

    On a CPU it is computed with plain matrix products, some tokens at a time. Forward and backward together take from a seventh to three
    quarters of the time of PyTorch's own kernel.
    """
    batch, heads, length, head = q.shape
    if q.device.type != "cpu":
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)
    at_once = length if length <= WHOLE_UP_TO else AT_ONCE
    found: list[Tensor] = []
    with torch.autocast("cpu", enabled=False):
        q, k, v = (x.reshape(batch * heads, length, head) for x in (q, k, v))
        for start in range(0, length, at_once):
            end = min(start + at_once, length)
            hides = torch.full((1, end - start, end), float("-inf"), dtype=q.dtype).triu(1 + start)
            scores = torch.baddbmm(hides, q[:, start:end], k[:, :end].transpose(1, 2), alpha=head**-0.5)
            found.append(torch.bmm(torch.softmax(scores, -1), v[:, :end]))
    return torch.cat(found, 1).view(batch, heads, length, head)


def turn(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Rotary position embedding, which rotates the two halves of a head."""
    half = x.shape[-1] // 2
    return x * cos + torch.cat([-x[..., half:], x[..., :half]], -1) * sin


class Network(nn.Module):  # type: ignore[misc, unused-ignore]
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.embedding = nn.Embedding(shape.vocabulary, shape.width)
        nn.init.normal_(self.embedding.weight, std=EMBEDDING)
        self.blocks = nn.ModuleList(Block(shape) for _ in range(shape.layers))
        self.norm = nn.RMSNorm(shape.width, eps=shape.eps)
        nn.init.constant_(self.norm.weight, OUTPUT / EMBEDDING)  # the output is the embedding's, which is large
        angles = torch.outer(torch.arange(shape.context), frequencies(shape))
        self.register_buffer("cos", torch.cat([angles.cos()] * 2, -1), persistent=False)
        self.register_buffer("sin", torch.cat([angles.sin()] * 2, -1), persistent=False)

    @property
    def millions(self) -> float:
        """Number of parameters, in millions."""
        return sum(p.numel() for p in self.parameters()) / 1e6

    def hidden(self, ids: Tensor, at: Tensor | None = None) -> Tensor:
        """The last hidden state of each token: batch × length × width.

        With `at`, only these positions of the flattened batch: positions × width. The last layer then skips all others, which are most
        of a prompt.
        """
        x: Tensor = self.embedding(ids)
        length = ids.shape[1]
        dtype = torch.bfloat16 if torch.is_autocast_enabled(x.device.type) else x.dtype
        cos, sin = self.get_buffer("cos")[:length].to(dtype), self.get_buffer("sin")[:length].to(dtype)
        for block in self.blocks[:-1]:
            x = block(x, cos, sin)
        x = self.blocks[-1](x, cos, sin, at)
        normed: Tensor = self.norm(x)
        return normed

    def logits(self, hidden: Tensor) -> Tensor:
        return F.linear(hidden, self.embedding.weight)


def frequencies(shape: Shape) -> Tensor:
    return shape.rope_base ** (-torch.arange(0, shape.head, 2, dtype=torch.float32) / shape.head)
