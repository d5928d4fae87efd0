"""Writes adapters as llama.cpp reads them, with the progress of their training, and reads them again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
from gguf import GGUFReader, GGUFWriter
from torch import nn

from models.speak.hints import HINTS
from models.speak.network import PARTS, Adapted, Network, Shape
from npc_server.llm.merge import type_of

STATE = "npc_speak.state"
NAME = "npc-speak"


class AdaptedNetwork(Protocol):
    """A network of blocks that have the matrices of `PARTS`."""

    shape: Shape
    blocks: nn.ModuleList


def adapted(network: AdaptedNetwork) -> dict[str, Adapted]:
    """The matrices with adapters, by block and part: `blk.3.gate_up`."""
    return {f"blk.{i}.{part}": getattr(block, part) for i, block in enumerate(network.blocks) for part in PARTS}


def write(path: Path, network: Network, state: Mapping[str, Any]) -> None:
    """Writes the adapters in half precision. Takes the old file's place only when the new one is whole."""
    with lora_writer(path, "llama", NAME, network.alpha) as writer:
        _add(writer, network, state)


def _add(writer: GGUFWriter, network: Network, state: Mapping[str, Any]) -> None:
    writer.add_string(STATE, json.dumps(state))
    for key, value in HINTS.items():
        writer.add_key_value(key, value, type_of(value))
    add_matrices(writer, network)


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


def read_into(path: Path, network: AdaptedNetwork) -> dict[str, Any]:
    """Puts a file's adapters into the network, and returns the progress of their training. Raises ValueError if they do not fit."""
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
    field = reader.fields.get(STATE)
    return dict(json.loads(field.contents())) if field else {}
