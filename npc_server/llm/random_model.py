"""A tiny GGUF model with random weights: it says nonsense, but it is a real file that llama.cpp loads and runs.

Tests and the bench use it where a download would be. Needs the `gguf` package (the `models` extra).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from string import ascii_lowercase

import numpy as np
from numpy.typing import NDArray

from npc_server.errors import ModelMissing
from npc_server.llm.gguf_header import DRAFTS, MEMORIES_SHOWN, PLACES_SHOWN, WEAK_AT

CHATML = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
_SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
NAMED = "<think>"
"""A mark of the type USER_DEFINED, as Qwen3 has it."""


def make_random_model(
    path: Path,
    *,
    seed: int = 0,
    width: int = 64,
    layers: int = 2,
    heads: int = 4,
    vocab: int = 1024,
    context: int = 32768,
    chat_template: str = CHATML,
    spread: float = 0.3,
    temperature: float | None = None,
    weak_at: str = "",
    memories_shown: int = 0,
    places_shown: int = 0,
    drafts: bool = False,
) -> Path:
    """Writes a llama-shaped model to `path` and returns it; the same arguments give the same bytes.

    `vocab` counts tokens (at least 260: every byte and four marks). `spread` is the standard deviation of the weights
    times the square root of the width; larger makes what comes next depend more on what came before. `temperature` is what the file
    recommends to draw with, `weak_at` what it says it should not be asked, the last two how much it says prompts should show.
    """
    try:
        import gguf
    except ImportError as error:
        raise ModelMissing("Making a model file needs the gguf package.", "Install npc-server[models].") from error

    tokens, merges = _vocabulary(vocab)
    rng = np.random.default_rng(seed)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("random")
    if temperature is not None:
        writer.add_sampling_temp(temperature)
    if weak_at:
        writer.add_string(WEAK_AT, weak_at)
    for key, count in ((MEMORIES_SHOWN, memories_shown), (PLACES_SHOWN, places_shown)):
        if count:
            writer.add_uint32(key, count)
    if drafts:
        writer.add_bool(DRAFTS, True)
    writer.add_context_length(context)
    writer.add_embedding_length(width)
    writer.add_block_count(layers)
    writer.add_feed_forward_length(width * 3)
    writer.add_head_count(heads)
    writer.add_head_count_kv(heads)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(width // heads)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    marks = {**dict.fromkeys(_SPECIAL, gguf.TokenType.CONTROL), NAMED: gguf.TokenType.USER_DEFINED}
    kinds = [marks.get(token, gguf.TokenType.NORMAL) for token in tokens]
    writer.add_token_types(kinds)
    writer.add_token_merges(merges)
    writer.add_bos_token_id(tokens.index("<|endoftext|>"))
    writer.add_eos_token_id(tokens.index("<|im_end|>"))
    writer.add_add_bos_token(False)
    writer.add_chat_template(chat_template)

    def weights(rows: int, columns: int, scale: float = 1.0) -> NDArray[np.float32]:
        drawn: NDArray[np.float32] = rng.standard_normal((rows, columns), dtype=np.float32)
        drawn *= np.float32(spread * scale / np.sqrt(columns))
        return drawn

    ones = np.ones(width, np.float32)
    writer.add_tensor("token_embd.weight", weights(len(tokens), width, np.sqrt(width) / spread))
    for layer in range(layers):
        name = f"blk.{layer}."
        writer.add_tensor(f"{name}attn_norm.weight", ones)
        for part in ("q", "k"):
            writer.add_tensor(f"{name}attn_{part}.weight", weights(width, width, 4))
        writer.add_tensor(f"{name}attn_v.weight", weights(width, width, 4))
        writer.add_tensor(f"{name}attn_output.weight", weights(width, width, 4))
        writer.add_tensor(f"{name}ffn_norm.weight", ones)
        writer.add_tensor(f"{name}ffn_gate.weight", weights(width * 3, width, 4))
        writer.add_tensor(f"{name}ffn_up.weight", weights(width * 3, width, 4))
        writer.add_tensor(f"{name}ffn_down.weight", weights(width, width * 3, 4))
    writer.add_tensor("output_norm.weight", ones)
    writer.add_tensor("output.weight", weights(len(tokens), width, 10))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _vocabulary(size: int) -> tuple[list[str], list[str]]:
    """Every byte as GPT-2 writes it, then joined letters, then the marks of a chat."""
    letters = list(byte_letters())
    room = size - len(letters) - len(_SPECIAL) - 1
    if room < 0:
        raise ValueError(f"vocab is {size}; {len(letters) + len(_SPECIAL) + 1} is the least")
    merges: list[str] = []
    joined: list[str] = []
    for left, right in _pairs():
        if len(joined) == room:
            break
        merges.append(f"{left} {right}")
        joined.append(left + right)
    fill = [f"<|spare_{n}|>" for n in range(room - len(joined))]
    return [*letters, *joined, *fill, NAMED, *_SPECIAL], merges


def _pairs() -> Iterator[tuple[str, str]]:
    """What to join, in an order in which both halves exist already."""
    yield from (("Ġ", letter) for letter in ascii_lowercase)
    pairs = [a + b for a, b in product(ascii_lowercase, repeat=2)]
    yield from ((pair[0], pair[1]) for pair in pairs)
    yield from (("Ġ" + pair[0], pair[1]) for pair in pairs)
    yield from ((pair, letter) for pair in pairs for letter in ascii_lowercase)


def byte_letters() -> Iterator[str]:
    """GPT-2's printable stand-in for each byte from 0 to 255."""
    spare = 256
    for byte in range(256):
        if 33 <= byte <= 126 or 161 <= byte <= 172 or 174 <= byte <= 255:
            yield chr(byte)
        else:
            yield chr(spare)
            spare += 1


def make_random_embedder(path: Path, *, seed: int = 0, width: int = 64, layers: int = 1, heads: int = 4, context: int = 128) -> Path:
    """Writes a BERT-shaped embedding model with random weights to `path` and returns it. It knows lower-case letters."""
    try:
        import gguf
    except ImportError as error:
        raise ModelMissing("Making a model file needs the gguf package.", "Install npc-server[models].") from error

    marks = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokens = [*marks, *ascii_lowercase, *("\u2581" + letter for letter in ascii_lowercase)]
    rng = np.random.default_rng(seed)
    writer = gguf.GGUFWriter(path, "bert")
    writer.add_name("random embedder")
    writer.add_context_length(context)
    writer.add_embedding_length(width)
    writer.add_block_count(layers)
    writer.add_feed_forward_length(width * 2)
    writer.add_head_count(heads)
    writer.add_layer_norm_eps(1e-12)
    writer.add_causal_attention(False)
    writer.add_pooling_type(gguf.PoolingType.MEAN)
    writer.add_tokenizer_model("bert")
    writer.add_tokenizer_pre("jina-v2-en")
    writer.add_token_type_count(2)
    writer.add_token_list(tokens)
    writer.add_token_types([gguf.TokenType.CONTROL] * len(marks) + [gguf.TokenType.NORMAL] * (len(tokens) - len(marks)))
    writer.add_pad_token_id(0)
    writer.add_unk_token_id(1)
    writer.add_bos_token_id(2)
    writer.add_eos_token_id(3)
    writer.add_sep_token_id(3)
    writer.add_mask_token_id(4)

    def add(name: str, *shape: int) -> None:
        drawn: NDArray[np.float32] = rng.standard_normal(shape, dtype=np.float32)
        writer.add_tensor(name, drawn / np.float32(np.sqrt(shape[-1])))

    def add_norm(name: str) -> None:
        writer.add_tensor(f"{name}.weight", np.ones(width, np.float32))
        writer.add_tensor(f"{name}.bias", np.zeros(width, np.float32))

    add("token_embd.weight", len(tokens), width)
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
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
