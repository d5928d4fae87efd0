"""Writes adapters as llama.cpp reads them, and reads them again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
from gguf import GGUFReader, GGUFWriter
from torch import nn

from models.training.network import PARTS, Adapted, Shape


class AdaptedNetwork(Protocol):
    """A network of blocks that have the matrices of `PARTS`."""

    shape: Shape
    blocks: nn.ModuleList


def adapted(network: AdaptedNetwork) -> dict[str, Adapted]:
    """The matrices with adapters, by block and part: `blk.3.gate_up`."""
    return {f"blk.{i}.{part}": getattr(block, part) for i, block in enumerate(network.blocks) for part in PARTS}


def add_matrices(writer: GGUFWriter, network: AdaptedNetwork) -> None:
    """Adds both matrices of each change, by llama.cpp's names."""
    for name, matrix in adapted(network).items():
        block, _, ours = name.rpartition(".")
        a = half(matrix.a)
        for theirs, b in zip(PARTS[ours], matrix.b.detach().split(network.shape.rows(ours)), strict=True):
            writer.add_tensor(f"{block}.{theirs}.weight.lora_a", a)
            writer.add_tensor(f"{block}.{theirs}.weight.lora_b", half(b))


@contextmanager
def lora_writer(path: Path, architecture: str, name: str, alpha: float) -> Iterator[GGUFWriter]:
    """Writes an adapter as llama.cpp reads them. It takes the old file's place only when it is whole."""
    part = path.with_suffix(".part")
    writer = GGUFWriter(part, architecture)
    writer.add_type("adapter")
    writer.add_name(name)
    writer.add_license("apache-2.0")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", alpha)
    yield writer
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    part.replace(path)


def half(tensor: torch.Tensor) -> np.ndarray[Any, np.dtype[np.float16]]:
    """The numbers in half precision."""
    return np.ascontiguousarray(tensor.detach().cpu().numpy().astype(np.float16))


def read_into(path: Path, network: AdaptedNetwork) -> None:
    """Puts a file's adapters into the network. Raises ValueError if they do not fit."""
    reader = GGUFReader(path)
    tensors = {tensor.name: torch.tensor(np.array(tensor.data, dtype=np.float32)) for tensor in reader.tensors}
    with torch.no_grad():
        for name, matrix in adapted(network).items():
            block, _, ours = name.rpartition(".")
            try:
                a = tensors[f"{block}.{PARTS[ours][0]}.weight.lora_a"]
                b = torch.cat([tensors[f"{block}.{theirs}.weight.lora_b"] for theirs in PARTS[ours]])
            except KeyError as error:
                raise ValueError(f"{path} has no adapter {error}. Name an adapter for this model.") from error
            if a.shape != matrix.a.shape or b.shape != matrix.b.shape:
                raise ValueError(f"{path}: the adapter of {name} has rank {len(a)}, and {matrix.a.shape[0]} is trained.")
            matrix.a.copy_(a)
            matrix.b.copy_(b)
