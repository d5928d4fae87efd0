"""Small LoRA adapters for random models."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import gguf
import numpy as np

MATRICES = {"blk.0.attn_q": (64, 64), "blk.1.ffn_down": (192, 64)}
"""Two matrices of `make_random_model`'s model: how many numbers they take in and give out."""
RANK = 4


def make_adapter(
    path: Path,
    matrices: Mapping[str, tuple[int, int]] = MATRICES,
    *,
    architecture: str = "llama",
    kind: str = "lora",
    alpha: float | None = 8.0,
    seed: int = 0,
    without: str = "",
    **hints: str,
) -> Path:
    """Writes an adapter that changes `matrices`. `without` is left out of its tensors, `hints` are further keys of npc-server."""
    rng = np.random.default_rng(seed)
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_type("adapter")
    writer.add_string("adapter.type", kind)
    if alpha is not None:
        writer.add_float32("adapter.lora.alpha", alpha)
    for key, value in hints.items():
        writer.add_string(f"npc_server.{key}", value)
    for name, (inputs, outputs) in matrices.items():
        for part, shape in (("lora_a", (RANK, inputs)), ("lora_b", (outputs, RANK))):
            whole = f"{name}.weight.{part}"
            if whole != without:
                writer.add_tensor(whole, (rng.standard_normal(shape) * 0.1).astype(np.float16))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
