"""Exports a checkpoint to GGUF files: `python -m models.nano.export`. They contain the vocabulary and the chat template."""

# ruff: noqa: T201
from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import gguf
import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from models.nano.batches import LENGTHS
from models.nano.checkpoint import FOLDER, load
from models.nano.network import Network, Shape
from models.nano.ranking import MEMORIES, PLACES
from models.nano.tokenizer import CHAT_TEMPLATE, END, MARKS
from npc_server.llm.gguf_header import DRAFTS, MEMORIES_SHOWN, PLACES_SHOWN, WEAK_AT

ARCHITECTURE = "qwen2"
"""Llama's architecture with biases on query, key and value, and rotary positions by halves."""
TYPES = {
    "f16": (gguf.GGMLQuantizationType.F16, gguf.LlamaFileType.MOSTLY_F16),
    "q4_0": (gguf.GGMLQuantizationType.Q4_0, gguf.LlamaFileType.MOSTLY_Q4_0),
    "q8_0": (gguf.GGMLQuantizationType.Q8_0, gguf.LlamaFileType.MOSTLY_Q8_0),
}
EMBEDDING = gguf.GGMLQuantizationType.Q8_0
"""Type of the embedding in a Q4_0 file. It is also the output layer, which four bits would harm."""
STATE = "npc_nano.training."
"""Prefix of the file's keys with the progress of training. llama.cpp ignores them."""
TEMPERATURE = 0.4
"""Sampling temperature that the file recommends."""
NOT_ASKED = (
    "act",
    "command",
    "commands",
    "critic",
    "identity",
    "importance",
    "listen",
    "plan_day",
    "plan_steps",
    "react",
    "reflect_insights",
    "reflect_questions",
    "replan",
    "talk_over",
    "talk_relation",
)
"""Prompts that the file leaves to instinct, which answers them better by the scores of the card. Replies that nothing can check are
left to it, too: with `identity`, people of Millbrook looked for a bee soup one morning."""
CONTEXT = LENGTHS[-1]
"""Tokens of the longest samples, reply included. The server cuts prompts to fit."""


def export(network: Network, vocabulary: Path, target: Path, kind: str, state: Mapping[str, float] | None = None) -> None:
    """Writes one file. Matrices have the type `kind` (see `TYPES`), norms and biases stay F32. `state` is the training's progress."""
    shape = network.shape
    wide, file_type = TYPES[kind]
    writer = gguf.GGUFWriter(target, ARCHITECTURE)
    writer.add_name("npc-nano")
    writer.add_description("A small model for the questions that npc-server's minds ask")
    writer.add_context_length(CONTEXT)
    writer.add_sampling_temp(TEMPERATURE)
    writer.add_string(WEAK_AT, ",".join(NOT_ASKED))
    writer.add_uint32(MEMORIES_SHOWN, MEMORIES)
    writer.add_uint32(PLACES_SHOWN, PLACES)
    writer.add_bool(DRAFTS, True)
    writer.add_embedding_length(shape.width)
    writer.add_block_count(shape.layers)
    writer.add_feed_forward_length(shape.hidden)
    writer.add_head_count(shape.heads)
    writer.add_head_count_kv(shape.pairs)
    writer.add_layer_norm_rms_eps(shape.eps)
    writer.add_rope_freq_base(shape.rope_base)
    writer.add_file_type(file_type)
    for name, value in (state or {}).items():
        writer.add_uint64(f"{STATE}{name}", int(value))
    _add_vocabulary(writer, vocabulary)
    for name, tensor in tensors(network, shape):
        if tensor.ndim == 1:
            writer.add_tensor(name, tensor.astype(np.float32))
        else:
            kept = EMBEDDING if name == "token_embd.weight" and kind == "q4_0" else wide
            writer.add_tensor(name, gguf.quantize(tensor.astype(np.float32), kept), raw_dtype=kept)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _add_vocabulary(writer: gguf.GGUFWriter, path: Path) -> None:
    whole = json.loads(path.read_text(encoding="utf-8"))
    model = whole["model"]
    words = sorted(model["vocab"], key=model["vocab"].__getitem__)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("smollm" if whole["pre_tokenizer"]["type"] == "Sequence" else "gpt-2")  # whether digits stand alone
    writer.add_token_list(words)
    writer.add_token_types([gguf.TokenType.CONTROL if word in MARKS else gguf.TokenType.NORMAL for word in words])
    writer.add_token_merges([merge if isinstance(merge, str) else " ".join(merge) for merge in model["merges"]])
    writer.add_eos_token_id(words.index(END))
    writer.add_bos_token_id(words.index(MARKS[0]))
    writer.add_pad_token_id(words.index(END))
    writer.add_add_bos_token(False)
    writer.add_chat_template(CHAT_TEMPLATE)


def tensors(network: Network, shape: Shape) -> Iterator[tuple[str, NDArray[np.float32]]]:
    """Every tensor under its name in llama.cpp. The output layer shares the embedding."""
    kept = {name: _array(value) for name, value in network.state_dict().items()}
    yield "token_embd.weight", kept["embedding.weight"]
    yield "output_norm.weight", kept["norm.weight"]
    for i in range(shape.layers):
        ours, theirs = f"blocks.{i}.", f"blk.{i}."
        ends = np.cumsum(shape.parts)[:2]
        weights, biases = (np.split(kept[f"{ours}qkv.{name}"], ends) for name in ("weight", "bias"))
        for part, weight, bias in zip("qkv", weights, biases, strict=True):
            yield f"{theirs}attn_{part}.weight", weight
            yield f"{theirs}attn_{part}.bias", bias
        gate, up = np.split(kept[ours + "gate_up.weight"], 2)
        yield theirs + "ffn_gate.weight", gate
        yield theirs + "ffn_up.weight", up
        for name, other in (
            ("out.weight", "attn_output.weight"),
            ("down.weight", "ffn_down.weight"),
            ("attention_norm.weight", "attn_norm.weight"),
            ("feed_norm.weight", "ffn_norm.weight"),
        ):
            yield theirs + other, kept[ours + name]


def _array(tensor: Tensor) -> NDArray[np.float32]:
    found: NDArray[np.float32] = tensor.detach().float().numpy()
    return found


def export_all(folder: Path, out: Path | None = None, kinds: Sequence[str] = tuple(TYPES)) -> list[Path]:
    """Exports the checkpoint of `folder` in each type, and returns the files."""
    network, kept = load(folder / "checkpoint.pt")
    targets = [(out or folder) / f"npc-nano-{kind}.gguf" for kind in kinds]
    for target, kind in zip(targets, kinds, strict=True):
        export(network, folder / "tokenizer.json", target, kind, kept["state"])
        print(f"{target}: {target.stat().st_size / 1e6:.1f} MB", flush=True)
    return targets


def main() -> None:
    parser = argparse.ArgumentParser(description="Writes npc-nano as GGUF files.")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where checkpoint and tokenizer are")
    parser.add_argument("--out", type=Path, default=None, help="folder to write to; that of the checkpoint when left out")
    parser.add_argument("--kinds", nargs="+", choices=sorted(TYPES), default=sorted(TYPES))
    args = parser.parse_args()
    export_all(args.folder, args.out, args.kinds)


if __name__ == "__main__":
    main()
