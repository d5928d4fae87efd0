"""Training goes on from a GGUF file: its weights and its vocabulary are the network's own, read back."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import gguf
import torch
from gguf import GGUFReader
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from torch import Tensor

from models.nano.export import STATE
from models.nano.network import Network, Shape
from models.nano.tokenizer import MARKS, digits_alone

BEGUN: Mapping[str, float] = {"step": 0, "tokens": 0, "samples": 0, "seconds": 0}
"""How far a training is that has not begun."""


def restore(path: Path) -> tuple[Network, Tokenizer, dict[str, float]]:
    """What `export` wrote, as float32 (of a Q8_0 file with its rounding), and how far training was. Raises ValueError for other files."""
    reader = GGUFReader(path)
    fields = {name: field.contents() for name, field in reader.fields.items()}
    if fields.get("general.architecture") != "qwen2" or tuple(fields["tokenizer.ggml.tokens"][: len(MARKS)]) != MARKS:
        raise ValueError(f"{path} is no npc-nano: name a file that models.nano.export wrote")
    shape = Shape(
        vocabulary=len(fields["tokenizer.ggml.tokens"]),
        width=fields["qwen2.embedding_length"],
        layers=fields["qwen2.block_count"],
        heads=fields["qwen2.attention.head_count"],
        hidden=fields["qwen2.feed_forward_length"],
        rope_base=fields["qwen2.rope.freq_base"],
        sharing=fields["qwen2.attention.head_count"] // fields["qwen2.attention.head_count_kv"],
        eps=fields["qwen2.attention.layer_norm_rms_epsilon"],
    )
    theirs = {t.name: torch.tensor(gguf.dequantize(t.data, t.tensor_type).copy()) for t in reader.tensors}
    network = Network(shape)
    network.load_state_dict(_ours(theirs, shape))
    state = {name: fields.get(f"{STATE}{name}", value) for name, value in BEGUN.items()}
    return network, _vocabulary(fields["tokenizer.ggml.tokens"], fields["tokenizer.ggml.merges"], fields["tokenizer.ggml.pre"]), state


def _ours(theirs: dict[str, Tensor], shape: Shape) -> dict[str, Tensor]:
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


def _vocabulary(words: list[str], merges: list[str], pre: str) -> Tokenizer:
    pairs = [(first, second) for first, second in (merge.split(" ") for merge in merges)]
    tokenizer = Tokenizer(models.BPE(vocab={word: i for i, word in enumerate(words)}, merges=pairs, byte_fallback=False))
    tokenizer.pre_tokenizer = digits_alone() if pre == "smollm" else pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(list(MARKS))
    return tokenizer
