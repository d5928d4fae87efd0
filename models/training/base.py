"""Reads a GGUF file for training: SmolLM2-135M-Instruct (Apache-2.0; Ben Allal et al. 2025, arXiv:2502.02737)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gguf
import torch
from gguf import GGUFReader
from torch import Tensor

from models.training.network import Shape

ROPE_BASE = 10_000.0
"""What llama.cpp takes where a file does not say it."""


def read_file(path: Path) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """The fields of a GGUF file, and its tensors as float32."""
    reader = GGUFReader(path)
    fields = {name: field.contents() for name, field in reader.fields.items()}
    return fields, {t.name: torch.tensor(gguf.dequantize(t.data, t.tensor_type).copy()) for t in reader.tensors}


def shape_of(fields: dict[str, Any]) -> Shape:
    of = f"{fields['general.architecture']}."
    return Shape(
        width=fields[f"{of}embedding_length"],
        layers=fields[f"{of}block_count"],
        heads=fields[f"{of}attention.head_count"],
        pairs=fields[f"{of}attention.head_count_kv"],
        hidden=fields[f"{of}feed_forward_length"],
        rope_base=fields.get(f"{of}rope.freq_base", ROPE_BASE),
        eps=fields[f"{of}attention.layer_norm_rms_epsilon"],
    )
