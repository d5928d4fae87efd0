"""Writes the adapters and the head of npc-answers as llama.cpp's adapters are written, and reads them again."""

from __future__ import annotations

import base64
from pathlib import Path

import numpy as np
import torch
from gguf import GGUFReader

from models.answers.network import MATRICES, PairNetwork
from models.training.adapter_file import half, lora_writer
from npc_server.llm.gguf_header import ANSWERS_HEAD

NAME = "npc-answers"


def write(path: Path, network: PairNetwork) -> None:
    """Writes the adapters in half precision. Takes the old file's place only when the new one is whole."""
    head = torch.cat([network.head.detach() * len(network.head) ** 0.5, network.bias.detach()[None]]).numpy().astype("<f4")
    with lora_writer(path, "bert", NAME, network.alpha) as writer:
        writer.add_string(ANSWERS_HEAD, base64.b64encode(head.tobytes()).decode())
        for number, block in enumerate(network.blocks):
            for name in MATRICES:
                writer.add_tensor(f"blk.{number}.{name}.weight.lora_a", half(getattr(block, name).a))
                writer.add_tensor(f"blk.{number}.{name}.weight.lora_b", half(getattr(block, name).b))


def read_into(path: Path, network: PairNetwork) -> None:
    """Puts a file's adapters and head into the network. Raises KeyError if the file is another model's."""
    reader = GGUFReader(path)
    tensors = {tensor.name: torch.tensor(np.array(tensor.data, dtype=np.float32)) for tensor in reader.tensors}
    head = torch.tensor(np.frombuffer(base64.b64decode(reader.fields[ANSWERS_HEAD].contents()), "<f4").copy())
    with torch.no_grad():
        network.head.copy_(head[:-1] / len(network.head) ** 0.5)
        network.bias.copy_(head[-1])
        for number, block in enumerate(network.blocks):
            for name in MATRICES:
                getattr(block, name).a.copy_(tensors[f"blk.{number}.{name}.weight.lora_a"])
                getattr(block, name).b.copy_(tensors[f"blk.{number}.{name}.weight.lora_b"])
