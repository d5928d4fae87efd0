"""SmolLM2's network with LoRA adapters: Llama's architecture, frozen, with two narrow matrices beside each of its wide ones.

LoRA: Hu et al. 2021, arXiv:2106.09685. llama.cpp reads the adapters from a file that `adapter_file.py` writes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

AT_ONCE = 256
"""Tokens whose attention is computed at once."""
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


class Block(nn.Module):  # type: ignore[misc, unused-ignore]
    def __init__(self, shape: Shape, of: Mapping[str, Tensor], rank: int, scale: float, dtype: torch.dtype) -> None:
        super().__init__()
        self.shape = shape
        for name in ("attn_norm", "ffn_norm"):
            self.register_buffer(name, of[f"{name}.weight"], persistent=False)
        for name, parts in PARTS.items():
            whole = torch.cat([of[f"{part}.weight"] for part in parts]).to(dtype)
            self.add_module(name, Adapted(whole, rank, scale))

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor, hides: Tensor, at: Tensor | None) -> Tensor:
        """Takes and returns length × width; with `at` returns these places only. `hides` is added to the scores of attention."""
        shape = self.shape
        normed = self._normed(x, "attn_norm", cos.dtype)
        q, k, v = self.qkv(normed).split(shape.rows("qkv"), -1)
        q, k = turn(_by_heads(q, shape), cos, sin), turn(_by_heads(k, shape), cos, sin)
        mixed = attend(q, k, _by_heads(v, shape), hides)
        if at is not None:
            x, mixed = x[at], mixed[at]
        x = x + self.out(mixed)
        gate, up = self.gate_up(self._normed(x, "ffn_norm", cos.dtype)).chunk(2, -1)
        added: Tensor = x + self.down(F.silu(gate) * up)
        return added

    def _normed(self, x: Tensor, name: str, dtype: torch.dtype) -> Tensor:
        return F.rms_norm(x, (x.shape[-1],), self.get_buffer(name), self.shape.eps).to(dtype)


def _by_heads(x: Tensor, shape: Shape) -> Tensor:
    """length × (heads · head) to heads × length × head."""
    return x.unflatten(-1, (-1, shape.head)).transpose(0, 1)


def attend(q: Tensor, k: Tensor, v: Tensor, hides: Tensor) -> Tensor:
    """Attention with fewer heads for keys and values than for queries. Returns length × width.

    It is computed some tokens at a time, so that no token is compared with those that come after its group.
    """
    heads, length, head = q.shape
    pairs = len(k)
    found: list[Tensor] = []
    for start in range(0, length, AT_ONCE):
        end = min(start + AT_ONCE, length)
        asked = q[:, start:end].reshape(pairs, -1, head)
        hidden = hides[start:end, :end].repeat(heads // pairs, 1).expand(pairs, -1, -1)
        scores = torch.baddbmm(hidden, asked, k[:, :end].transpose(1, 2), alpha=head**-0.5)
        found.append(torch.bmm(torch.softmax(scores, -1), v[:, :end]).view(heads, end - start, head))
    return torch.cat(found, 1).transpose(0, 1).reshape(length, heads * head)


def turn(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Rotary position embedding, which rotates neighbouring pairs, as llama.cpp does for this architecture."""
    even, odd = x[..., ::2], x[..., 1::2]
    return torch.stack([even * cos - odd * sin, even * sin + odd * cos], -1).flatten(-2)


class Network(nn.Module):  # type: ignore[misc, unused-ignore]
    """`tensors` have llama.cpp's names and are float32. Only the adapters are trained."""

    def __init__(self, shape: Shape, tensors: Mapping[str, Tensor], rank: int, alpha: float, dtype: torch.dtype = torch.bfloat16) -> None:
        super().__init__()
        self.shape, self.rank, self.alpha, self.dtype = shape, rank, alpha, dtype
        self.register_buffer("embedding", tensors["token_embd.weight"].to(dtype), persistent=False)
        self.register_buffer("norm", tensors["output_norm.weight"], persistent=False)
        self.blocks = nn.ModuleList(
            Block(
                shape, {n.removeprefix(f"blk.{i}."): t for n, t in tensors.items() if n.startswith(f"blk.{i}.")}, rank, alpha / rank, dtype
            )
            for i in range(shape.layers)
        )

    def forward(self, ids: Tensor, at: Tensor, sees: Tensor, asked: Tensor) -> Tensor:
        """Logits at the asked places of a row: asked × vocabulary. The last layer leaves out all other places."""
        x = F.embedding(ids, self.get_buffer("embedding")).float()
        half = torch.arange(0, self.shape.head, 2, device=ids.device)
        angles = torch.outer(at.float(), self.shape.rope_base ** (-half.float() / self.shape.head))
        cos, sin = angles.cos().to(self.dtype), angles.sin().to(self.dtype)
        hides = torch.zeros(sees.shape, dtype=self.dtype, device=ids.device).masked_fill_(~sees, float("-inf"))
        last = len(self.blocks) - 1
        for number, block in enumerate(self.blocks):
            x = block(x, cos, sin, hides, asked if number == last else None)
        x = F.rms_norm(x, (x.shape[-1],), self.get_buffer("norm"), self.shape.eps)
        return F.linear(x.to(self.dtype), self.get_buffer("embedding")).float()
