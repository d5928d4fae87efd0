"""Writes the examples of npc-rerank as pairs of a line and a text, for npc-answers: `python -m models.answers.prepare`.

A machine with a GPU then trains with `train_batches.py`. It needs neither llama.cpp nor the examples, but this file.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from models.answers.pairs import BASE, PairReader
from models.rerank.examples import Example
from models.rerank.prepare import rows
from models.training import packed
from models.training.packed import PackedRow

OUT = Path(__file__).parent / "checkpoints" / "pairs.npz"


def as_row(reader: PairReader, it: Example) -> PackedRow:
    """The pairs of an example, one after another."""
    pairs = [reader.pair(it.heard.text, text) for text, _ in it.texts]
    at = np.concatenate([np.arange(len(pair)) for pair in pairs]).astype(np.int32)
    last = np.cumsum([len(pair) for pair in pairs]).astype(np.int32) - 1
    ids = np.array([token for pair in pairs for token in pair], np.int32)
    return PackedRow(ids, at, packed.ends_of(at), last, np.array([fits for _, fits in it.texts], np.float32))


def main() -> None:
    parser = argparse.ArgumentParser(description="Writes the examples of npc-answers as tokens.")
    parser.add_argument("--out", type=Path, default=OUT)
    it = parser.parse_args()
    it.out.parent.mkdir(parents=True, exist_ok=True)
    reader = PairReader(BASE)
    packed.write(it.out, rows(lambda example: as_row(reader, example)))


if __name__ == "__main__":
    main()
