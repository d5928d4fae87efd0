"""Vocabularies to read texts with: small ones of each kind, made here, and those that llama.cpp's sources ship, where they are."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import gguf

from npc_eval.random_model import byte_letters

FOLDER = "src/vendor/llama.cpp/models"


def shipped() -> tuple[Path, ...]:
    """Those of the sources that uv compiled llama-cpp-python from; it keeps them in its cache."""
    cache = Path(os.environ.get("UV_CACHE_DIR", Path.home() / ".cache" / "uv"))
    folders = sorted(cache.glob(f"sdists-v*/pypi/llama-cpp-python/*/*/{FOLDER}"))
    return tuple(sorted(folders[-1].glob("ggml-vocab-*.gguf"))) if folders else ()


def byte_pairs(path: Path, *, control: Sequence[str] = (), named: Sequence[str] = (), merges: Sequence[str] = ("t h",)) -> Path:
    """As GPT-2, Llama 3, Qwen, Command R and DeepSeek have it. `named` are tokens of the type USER_DEFINED."""
    joined = [merge.replace(" ", "") for merge in merges]
    plain = [letter for letter in [*byte_letters(), *joined] if letter not in {*control, *named}]
    return _write(path, "gpt2", [*((token, gguf.TokenType.NORMAL) for token in plain), *_marks(control, named)], merges=merges)


def pieces(path: Path, *, control: Sequence[str] = (), named: Sequence[str] = (), words: Sequence[str] = ()) -> Path:
    """As Llama 2, Phi-3 and Gemma have it: SentencePiece, with a space before each text."""
    kinds = [("<unk>", gguf.TokenType.UNKNOWN), ("<s>", gguf.TokenType.CONTROL), ("</s>", gguf.TokenType.CONTROL)]
    kinds += [(f"<0x{byte:02X}>", gguf.TokenType.BYTE) for byte in range(256)]
    kinds += [(word, gguf.TokenType.NORMAL) for word in ("▁", *map(chr, range(33, 127)), *words)]
    return _write(path, "llama", [*kinds, *_marks(control, named)], ends=(1, 2))


def _marks(control: Sequence[str], named: Sequence[str]) -> Iterator[tuple[str, gguf.TokenType]]:
    yield from ((token, gguf.TokenType.CONTROL) for token in ("<|end|>", *control))
    yield from ((token, gguf.TokenType.USER_DEFINED) for token in named)


def _write(
    path: Path,
    model: str,
    kinds: Sequence[tuple[str, gguf.TokenType]],
    *,
    merges: Sequence[str] = (),  # none for SentencePiece
    ends: tuple[int, int] | None = None,
) -> Path:
    tokens = [token for token, _ in kinds]
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("a vocabulary")
    writer.add_context_length(64)
    writer.add_embedding_length(32)
    writer.add_block_count(1)
    writer.add_feed_forward_length(32)
    writer.add_head_count(1)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model(model)
    writer.add_token_list(tokens)
    writer.add_token_types([kind for _, kind in kinds])
    if model == "gpt2":
        writer.add_tokenizer_pre("gpt-2")
        writer.add_token_merges(list(merges))
    else:
        # Longer pieces first, as a trained vocabulary has it.
        writer.add_token_scores([float(len(token)) for token in tokens])
    first, last = ends or (tokens.index("<|end|>"), tokens.index("<|end|>"))
    writer.add_bos_token_id(first)
    writer.add_eos_token_id(last)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
