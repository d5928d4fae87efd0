"""Writes the examples of npc-rerank as tokens: `python -m models.rerank.prepare --out models/rerank/checkpoints/rows.npz`.

The machine that trains needs neither llama.cpp nor the examples, but this file.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from models.rerank.examples import Example, examples
from models.training.packed import HELD, PackedRow, packed, write
from npc_server.llm.llama_vocab import Vocabulary
from npc_server.llm.rerank_form import RerankForm

BASE = Path(__file__).parent.parent / "npc-rerank.gguf"
CHECKPOINTS = Path(__file__).parent / "checkpoints"


def as_row(form: RerankForm, it: Example) -> PackedRow:
    """All texts of an example share the talk."""
    asked = form.asked(it.heard)
    return packed(([*asked, *form.answer(text)], [fits]) for text, fits in it.texts)


def rows(as_row: Callable[[Example], PackedRow]) -> Mapping[str, Sequence[PackedRow]]:
    """All examples by kind."""
    found: dict[str, list[PackedRow]] = {}
    for held in (False, True):
        for it in examples(held):
            found.setdefault(f"{HELD if held else ''}{it.kind}", []).append(as_row(it))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="Writes the examples of npc-rerank as tokens.")
    parser.add_argument("--base", type=Path, default=BASE, help="the file of the model, for its vocabulary")
    parser.add_argument("--out", type=Path, default=CHECKPOINTS / "rows.npz")
    it = parser.parse_args()
    it.out.parent.mkdir(parents=True, exist_ok=True)
    form = RerankForm.of(Vocabulary(it.base, 64 << 20).tokenizer)
    write(it.out, rows(lambda example: as_row(form, example)))


if __name__ == "__main__":
    main()
