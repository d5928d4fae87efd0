"""A tiny GGUF model with random weights. Its replies are nonsense, but llama.cpp loads and runs it like any other model.

Tests and the speed figures use it, so that they need no download. Needs the package `gguf` (the `models` extra).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from string import ascii_lowercase
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from npc_server.llm.gguf_header import MEMORIES_SHOWN, PLACES_SHOWN, WEAK_AT
from npc_server.llm.gguf_writer import add_sizes, gguf_writer

if TYPE_CHECKING:
    from gguf import GGUFWriter

CHATML = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
CONTROL_TOKENS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
USER_DEFINED_TOKEN = "<think>"
"""A token of the type USER_DEFINED, as Qwen3 has it."""


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
) -> Path:
    """Writes a llama model to `path` and returns it. The same arguments give the same bytes.

    `vocab` counts tokens: at least 260, for all bytes and four special tokens. `spread` is the standard deviation of the weights, times
    the square root of `width`. A larger one makes the next token depend more on the tokens before it. `temperature` and the arguments
    after it are what the file says of itself, as in `gguf_header.Header`.
    """
    tokens, merges = _vocabulary(vocab)
    with gguf_writer(path, "llama", "random") as writer:
        if temperature is not None:
            writer.add_sampling_temp(temperature)
        _add_hints(writer, weak_at, memories_shown, places_shown)
        add_sizes(writer, context=context, width=width, layers=layers, feed_forward=width * 3, heads=heads)
        writer.add_head_count_kv(heads)
        writer.add_layer_norm_rms_eps(1e-5)
        writer.add_rope_dimension_count(width // heads)
        _add_tokenizer(writer, tokens, merges)
        writer.add_chat_template(chat_template)
        _add_weights(writer, np.random.default_rng(seed), len(tokens), width, layers, spread)
    return path


def _add_hints(writer: GGUFWriter, weak_at: str, memories_shown: int, places_shown: int) -> None:
    # Without the key it would count as a small model, which is asked little. The writer leaves an empty text out.
    writer.add_string(WEAK_AT, weak_at or " ")
    for key, count in ((MEMORIES_SHOWN, memories_shown), (PLACES_SHOWN, places_shown)):
        if count:
            writer.add_uint32(key, count)


def _add_tokenizer(writer: GGUFWriter, tokens: list[str], merges: list[str]) -> None:
    from gguf import TokenType

    types = {**dict.fromkeys(CONTROL_TOKENS, TokenType.CONTROL), USER_DEFINED_TOKEN: TokenType.USER_DEFINED}
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types([types.get(token, TokenType.NORMAL) for token in tokens])
    writer.add_token_merges(merges)
    writer.add_bos_token_id(tokens.index("<|endoftext|>"))
    writer.add_eos_token_id(tokens.index("<|im_end|>"))
    writer.add_add_bos_token(False)


def _add_weights(writer: GGUFWriter, rng: np.random.Generator, vocab: int, width: int, layers: int, spread: float) -> None:
    def weights(rows: int, columns: int, scale: float = 4.0) -> NDArray[np.float32]:
        drawn: NDArray[np.float32] = rng.standard_normal((rows, columns), dtype=np.float32)
        drawn *= np.float32(spread * scale / np.sqrt(columns))
        return drawn

    ones = np.ones(width, np.float32)
    writer.add_tensor("token_embd.weight", weights(vocab, width, np.sqrt(width) / spread))
    for layer in range(layers):
        name = f"blk.{layer}."
        writer.add_tensor(f"{name}attn_norm.weight", ones)
        for part in ("attn_q", "attn_k", "attn_v", "attn_output"):
            writer.add_tensor(f"{name}{part}.weight", weights(width, width))
        writer.add_tensor(f"{name}ffn_norm.weight", ones)
        writer.add_tensor(f"{name}ffn_gate.weight", weights(width * 3, width))
        writer.add_tensor(f"{name}ffn_up.weight", weights(width * 3, width))
        writer.add_tensor(f"{name}ffn_down.weight", weights(width, width * 3))
    writer.add_tensor("output_norm.weight", ones)
    writer.add_tensor("output.weight", weights(vocab, width, 10))


def _vocabulary(size: int) -> tuple[list[str], list[str]]:
    """Returns the tokens and merges: every byte as GPT-2 writes it, then joined letters, then the special tokens."""
    letters = list(byte_letters())
    special = [USER_DEFINED_TOKEN, *CONTROL_TOKENS]
    room = size - len(letters) - len(special)
    if room < 0:
        raise ValueError(f"vocab is {size}, and must be at least {len(letters) + len(special)}")
    merges: list[str] = []
    joined: list[str] = []
    for left, right in _pairs():
        if len(joined) == room:
            break
        merges.append(f"{left} {right}")
        joined.append(left + right)
    spare = [f"<|spare_{n}|>" for n in range(room - len(joined))]
    return [*letters, *joined, *spare, *special], merges


def _pairs() -> Iterator[tuple[str, str]]:
    """Yields the pairs to merge, in an order in which both halves are tokens already."""
    yield from (("Ġ", letter) for letter in ascii_lowercase)
    pairs = [a + b for a, b in product(ascii_lowercase, repeat=2)]
    yield from ((pair[0], pair[1]) for pair in pairs)
    yield from (("Ġ" + pair[0], pair[1]) for pair in pairs)
    yield from ((pair, letter) for pair in pairs for letter in ascii_lowercase)


def byte_letters() -> Iterator[str]:
    """Yields the printable character that GPT-2 writes for each byte from 0 to 255."""
    spare = 256
    for byte in range(256):
        if 33 <= byte <= 126 or 161 <= byte <= 172 or 174 <= byte <= 255:
            yield chr(byte)
        else:
            yield chr(spare)
            spare += 1
