"""SmolLM2's network for many rows at once, with LoRA adapters, for training on a GPU."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from models.training.network import PARTS, Adapted, Shape, turn
from models.training.packed import PackedRow

STEP = 64
"""Rows are filled up to a multiple of this."""


class BatchBlock(nn.Module):  # type: ignore[misc, unused-ignore]
    def __init__(self, shape: Shape, of: Mapping[str, Tensor], rank: int, scale: float, dropped: float, dtype: torch.dtype) -> None:
        super().__init__()
        self.shape, self.dropped = shape, dropped
        for name in ("attn_norm", "ffn_norm"):
            self.register_buffer(name, of[f"{name}.weight"].to(dtype), persistent=False)
        for name, parts in PARTS.items():
            self.add_module(name, Adapted(torch.cat([of[f"{part}.weight"] for part in parts]).to(dtype), rank, scale))

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor, sees: Tensor) -> Tensor:
        """Takes and returns rows × length × width."""
        shape = self.shape
        q, k, v = self._times("qkv", self._normed(x, "attn_norm")).split(shape.rows("qkv"), -1)
        q, k, v = (it.unflatten(-1, (-1, shape.head)).transpose(1, 2) for it in (q, k, v))
        more = shape.heads // shape.pairs
        k, v = turn(k, cos, sin).repeat_interleave(more, 1), v.repeat_interleave(more, 1)
        mixed = F.scaled_dot_product_attention(turn(q, cos, sin), k, v, attn_mask=sees).transpose(1, 2).flatten(2)
        x = x + self._times("out", mixed)
        gate, up = self._times("gate_up", self._normed(x, "ffn_norm")).chunk(2, -1)
        return x + self._times("down", F.silu(gate) * up)

    def _times(self, name: str, x: Tensor) -> Tensor:
        flat = F.dropout(x, self.dropped, self.training).reshape(-1, x.shape[-1])
        found: Tensor = getattr(self, name)(flat)
        return found.view(*x.shape[:-1], -1)

    def _normed(self, x: Tensor, name: str) -> Tensor:
        return F.rms_norm(x, (x.shape[-1],), self.get_buffer(name), self.shape.eps)


class BatchNetwork(nn.Module):  # type: ignore[misc, unused-ignore]
    """`tensors` have llama.cpp's names and are float32. Only the adapters are trained."""

    def __init__(
        self,
        shape: Shape,
        tensors: Mapping[str, Tensor],
        rank: int,
        alpha: float,
        dropped: float = 0.0,
        dtype: torch.dtype = torch.bfloat16,
    ) -> None:
        super().__init__()
        self.shape, self.rank, self.alpha, self.dtype = shape, rank, alpha, dtype
        self.register_buffer("embedding", tensors["token_embd.weight"].to(dtype), persistent=False)
        self.register_buffer("norm", tensors["output_norm.weight"], persistent=False)
        self.blocks = nn.ModuleList(
            BatchBlock(
                shape, {name.removeprefix(f"blk.{i}."): it for name, it in tensors.items() if name.startswith(f"blk.{i}.")},
                rank, alpha / rank, dropped, dtype,
            )
            for i in range(shape.layers)
        )  # fmt: skip

    def forward(self, rows: Sequence[PackedRow]) -> Tensor:
        """What the last layer has at the asked places of all rows, one after another: asked × width."""
        embedding = self.get_buffer("embedding")
        device, longest = embedding.device, -(-max(map(len, rows)) // STEP) * STEP
        ids, at, ends = (padded([getattr(row, name) for row in rows], longest).to(device) for name in ("ids", "at", "ends"))
        half = torch.arange(0, self.shape.head, 2, device=device)
        angles = at[:, None, :, None].float() * self.shape.rope_base ** (-half.float() / self.shape.head)
        cos, sin = angles.cos().to(self.dtype), angles.sin().to(self.dtype)
        place = torch.arange(longest, device=device)
        sees = (place[None, None] <= place[None, :, None]) & (place[None, :, None] < ends[:, None])
        sees |= torch.eye(longest, dtype=torch.bool, device=device)
        x = F.embedding(ids, embedding)
        for block in self.blocks:
            x = block(x, cos, sin, sees[:, None])
        asked = torch.from_numpy(np.concatenate([row.asked + longest * number for number, row in enumerate(rows)])).to(device)
        found = x.flatten(0, 1)[asked].float()
        return F.rms_norm(found, (found.shape[-1],), self.get_buffer("norm"), self.shape.eps)

    def logits(self, found: Tensor) -> Tensor:
        """asked × vocabulary."""
        return F.linear(found.to(self.dtype), self.get_buffer("embedding")).float()


def padded(arrays: Sequence[np.ndarray[tuple[int], np.dtype[np.int32]]], length: int) -> Tensor:
    """The arrays as rows of `length` whole numbers, filled up with zeros."""
    found = np.zeros((len(arrays), length), np.int64)
    for row, it in zip(found, arrays, strict=True):
        row[: len(it)] = it
    return torch.from_numpy(found)
