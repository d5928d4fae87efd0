"""SmolLM2's network for many texts at once, with LoRA adapters, for training on a GPU. `models/speak/network.py` is for rows of talks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from models.speak.network import PARTS, Adapted, Shape, turn


class RerankBlock(nn.Module):  # type: ignore[misc, unused-ignore]
    def __init__(self, shape: Shape, of: Mapping[str, Tensor], rank: int, scale: float, dropped: float, dtype: torch.dtype) -> None:
        super().__init__()
        self.shape, self.dropped = shape, dropped
        for name in ("attn_norm", "ffn_norm"):
            self.register_buffer(name, of[f"{name}.weight"].to(dtype), persistent=False)
        for name, parts in PARTS.items():
            self.add_module(name, Adapted(torch.cat([of[f"{part}.weight"] for part in parts]).to(dtype), rank, scale))

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        """Takes and returns texts × length × width."""
        shape = self.shape
        q, k, v = self._times("qkv", self._normed(x, "attn_norm")).split(shape.rows("qkv"), -1)
        q, k, v = (it.unflatten(-1, (-1, shape.head)).transpose(1, 2) for it in (q, k, v))
        more = shape.heads // shape.pairs
        k, v = turn(k, cos, sin).repeat_interleave(more, 1), v.repeat_interleave(more, 1)
        mixed = F.scaled_dot_product_attention(turn(q, cos, sin), k, v, is_causal=True).transpose(1, 2).flatten(2)
        x = x + self._times("out", mixed)
        gate, up = self._times("gate_up", self._normed(x, "ffn_norm")).chunk(2, -1)
        return x + self._times("down", F.silu(gate) * up)

    def _times(self, name: str, x: Tensor) -> Tensor:
        flat = F.dropout(x, self.dropped, self.training).reshape(-1, x.shape[-1])
        found: Tensor = getattr(self, name)(flat)
        return found.view(*x.shape[:-1], -1)

    def _normed(self, x: Tensor, name: str) -> Tensor:
        return F.rms_norm(x, (x.shape[-1],), self.get_buffer(name), self.shape.eps)


class RerankNetwork(nn.Module):  # type: ignore[misc, unused-ignore]
    """Only the adapters are trained."""

    def __init__(
        self,
        shape: Shape,
        tensors: Mapping[str, Tensor],
        verdicts: tuple[int, int],
        rank: int,
        alpha: float,
        dropped: float,
        dtype: torch.dtype,
    ) -> None:
        super().__init__()
        self.shape, self.rank, self.alpha = shape, rank, alpha
        embedding = tensors["token_embd.weight"]
        self.register_buffer("embedding", embedding.to(dtype), persistent=False)
        self.register_buffer("norm", tensors["output_norm.weight"], persistent=False)
        self.register_buffer("verdict", embedding[verdicts[0]] - embedding[verdicts[1]], persistent=False)
        self.blocks = nn.ModuleList(
            RerankBlock(
                shape, {name.removeprefix(f"blk.{i}."): it for name, it in tensors.items() if name.startswith(f"blk.{i}.")},
                rank, alpha / rank, dropped, dtype,
            )
            for i in range(shape.layers)
        )  # fmt: skip

    def forward(self, rows: Sequence[Sequence[int]]) -> Tensor:
        """The log odds that each text answers, shape (rows,). A row has the tokens of a talk and a text."""
        embedding = self.get_buffer("embedding")
        longest = max(map(len, rows))
        ids = torch.tensor([[*row, *[0] * (longest - len(row))] for row in rows], device=embedding.device)
        half = torch.arange(0, self.shape.head, 2, device=ids.device)
        angles = torch.outer(torch.arange(longest, device=ids.device).float(), self.shape.rope_base ** (-half.float() / self.shape.head))
        x = F.embedding(ids, embedding)
        cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
        for block in self.blocks:
            x = block(x, cos, sin)
        last = x[torch.arange(len(rows)), torch.tensor([len(row) - 1 for row in rows])].float()
        found: Tensor = F.rms_norm(last, (last.shape[-1],), self.get_buffer("norm"), self.shape.eps) @ self.get_buffer("verdict")
        return found
