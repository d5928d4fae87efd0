"""Reads a network and its vocabulary back from a GGUF file, so that training can continue from it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gguf
import torch
from gguf import GGUFReader
from tokenizers import Tokenizer, pre_tokenizers
from torch import Tensor

from models.nano.export import ARCHITECTURE, STATE
from models.nano.network import Network, Shape
from models.nano.tokenizer import MARKS, digits_alone, pair, vocabulary

NOT_BEGUN: Mapping[str, float] = {"step": 0, "tokens": 0, "samples": 0, "seconds": 0}
"""Progress of a training that has not begun."""


def restore(path: Path) -> tuple[Network, Tokenizer, dict[str, float]]:
    """The network as float32, its vocabulary, and the progress of training. Raises ValueError for files that `export` did not write."""
    reader = GGUFReader(path)
    fields = {name: field.contents() for name, field in reader.fields.items()}
    if fields.get("general.architecture") != ARCHITECTURE or tuple(fields["tokenizer.ggml.tokens"][: len(MARKS)]) != MARKS:
        raise ValueError(f"{path} is no npc-nano: name a file that models.nano.export wrote")
    network = network_of(shape_of(fields), tensors_of(reader))
    splitting = digits_alone() if fields["tokenizer.ggml.pre"] == "smollm" else pre_tokenizers.ByteLevel(add_prefix_space=False)
    words = vocabulary(fields["tokenizer.ggml.tokens"], [pair(merge) for merge in fields["tokenizer.ggml.merges"]], splitting)
    return network, words, {name: fields.get(f"{STATE}{name}", value) for name, value in NOT_BEGUN.items()}


def shape_of(fields: Mapping[str, Any]) -> Shape:
    """The shape in a file's header, whatever its architecture is called."""
    of = f"{fields['general.architecture']}."
    heads = fields[f"{of}attention.head_count"]
    return Shape(
        vocabulary=len(fields["tokenizer.ggml.tokens"]),
        width=fields[f"{of}embedding_length"],
        layers=fields[f"{of}block_count"],
        heads=heads,
        hidden=fields[f"{of}feed_forward_length"],
        rope_base=fields[f"{of}rope.freq_base"],
        sharing=heads // fields[f"{of}attention.head_count_kv"],
        eps=fields[f"{of}attention.layer_norm_rms_epsilon"],
    )


def tensors_of(reader: GGUFReader) -> dict[str, Tensor]:
    """Every tensor of a file by its name in llama.cpp, as float32."""
    return {t.name: torch.tensor(gguf.dequantize(t.data, t.tensor_type).copy()) for t in reader.tensors}


def network_of(shape: Shape, theirs: Mapping[str, Tensor]) -> Network:
    """The network with these weights, which have llama.cpp's names."""
    network = Network(shape)
    network.load_state_dict(_ours(theirs, shape))
    return network


def _ours(theirs: Mapping[str, Tensor], shape: Shape) -> dict[str, Tensor]:
    found = {"embedding.weight": theirs["token_embd.weight"], "norm.weight": theirs["output_norm.weight"]}
    for i in range(shape.layers):
        of = {name.removeprefix(f"blk.{i}."): tensor for name, tensor in theirs.items() if name.startswith(f"blk.{i}.")}
        block = {
            "qkv.weight": torch.cat([of[f"attn_{part}.weight"] for part in "qkv"]),
            "qkv.bias": torch.cat([of[f"attn_{part}.bias"] for part in "qkv"]),
            "gate_up.weight": torch.cat([of["ffn_gate.weight"], of["ffn_up.weight"]]),
            "out.weight": of["attn_output.weight"],
            "down.weight": of["ffn_down.weight"],
            "attention_norm.weight": of["attn_norm.weight"],
            "feed_norm.weight": of["ffn_norm.weight"],
        }
        found |= {f"blocks.{i}.{name}": tensor for name, tensor in block.items()}
    return found
