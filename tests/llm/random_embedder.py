"""A tiny embedding model with random weights, for tests that need a real one."""

from __future__ import annotations

from pathlib import Path
from string import ascii_lowercase

import gguf
import numpy as np
from numpy.typing import NDArray

from npc_server.llm.gguf_writer import add_sizes, gguf_writer

SPECIAL_TOKENS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
TOKENS = [*SPECIAL_TOKENS, *ascii_lowercase, *("\u2581" + letter for letter in ascii_lowercase)]


def make_random_embedder(path: Path, *, seed: int = 0, width: int = 64, layers: int = 1, heads: int = 4, context: int = 128) -> Path:
    """Writes a BERT model to `path` and returns it. It knows lower-case letters."""
    with gguf_writer(path, "bert", "random embedder") as writer:
        add_sizes(writer, context=context, width=width, layers=layers, feed_forward=width * 2, heads=heads)
        writer.add_layer_norm_eps(1e-12)
        writer.add_causal_attention(False)
        writer.add_pooling_type(gguf.PoolingType.MEAN)
        _add_tokenizer(writer)
        _add_weights(writer, np.random.default_rng(seed), width, layers, context)
    return path


def _add_tokenizer(writer: gguf.GGUFWriter) -> None:
    types = [gguf.TokenType.CONTROL if token in SPECIAL_TOKENS else gguf.TokenType.NORMAL for token in TOKENS]
    writer.add_tokenizer_model("bert")
    writer.add_tokenizer_pre("jina-v2-en")
    writer.add_token_type_count(2)
    writer.add_token_list(TOKENS)
    writer.add_token_types(types)
    writer.add_pad_token_id(0)
    writer.add_unk_token_id(1)
    writer.add_bos_token_id(2)
    writer.add_eos_token_id(3)
    writer.add_sep_token_id(3)
    writer.add_mask_token_id(4)


def _add_weights(writer: gguf.GGUFWriter, rng: np.random.Generator, width: int, layers: int, context: int) -> None:
    def add(name: str, *shape: int) -> None:
        drawn: NDArray[np.float32] = rng.standard_normal(shape, dtype=np.float32)
        writer.add_tensor(name, drawn / np.float32(np.sqrt(shape[-1])))

    def add_norm(name: str) -> None:
        writer.add_tensor(f"{name}.weight", np.ones(width, np.float32))
        writer.add_tensor(f"{name}.bias", np.zeros(width, np.float32))

    add("token_embd.weight", len(TOKENS), width)
    add("token_types.weight", 2, width)
    add("position_embd.weight", context, width)
    add_norm("token_embd_norm")
    for layer in range(layers):
        name = f"blk.{layer}."
        for part, rows, columns in (
            ("attn_q", width, width),
            ("attn_k", width, width),
            ("attn_v", width, width),
            ("attn_output", width, width),
            ("ffn_up", width * 2, width),
            ("ffn_down", width, width * 2),
        ):
            add(f"{name}{part}.weight", rows, columns)
            add(f"{name}{part}.bias", rows)
        add_norm(f"{name}attn_output_norm")
        add_norm(f"{name}layer_output_norm")
