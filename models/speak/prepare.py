"""Writes npc-speak's examples as tokens: `python -m models.speak.prepare --out models/speak/checkpoints/rows.npz`.

A machine with a GPU then trains with `train_batches.py`. It needs neither llama.cpp nor the examples, but this file.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

from models.speak import base, packed
from models.speak.packed import HELD, PackedRow, in_rows
from models.speak.render import messages
from models.speak.rows import LONGEST, SHARES, places

CHECKPOINTS = Path(__file__).parent / "checkpoints"


def rows_of_kind(from_: base.Base, kind: str, held_back: bool) -> list[PackedRow]:
    """All examples of a kind. An answer is wanted token by token, after what stands before each of them."""
    found: list[PackedRow] = []
    for place in places(kind, held_back, 0):
        made = messages(place.world, place.world.of(place.kind)[place.number])
        pairs = base.encode(from_.tokenizer, [(it.system, it.user, it.answer) for it in made])
        found += in_rows([([*prompt, *answer[:-1]], [float(token) for token in answer]) for prompt, answer in pairs], LONGEST)
    return found


def rows(from_: base.Base) -> Mapping[str, Sequence[PackedRow]]:
    """All examples by kind."""
    kinds = {(kind, held): rows_of_kind(from_, kind, held) for kind in SHARES for held in (False, True)}
    return {f"{HELD if held else ''}{kind}": found for (kind, held), found in kinds.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description="Writes npc-speak's examples as tokens.")
    parser.add_argument("--base", type=Path, default=CHECKPOINTS, help="folder of the base, which is fetched there if it is missing")
    parser.add_argument("--out", type=Path, default=CHECKPOINTS / "rows.npz")
    it = parser.parse_args()
    it.out.parent.mkdir(parents=True, exist_ok=True)
    packed.write(it.out, rows(base.read(base.fetch(it.base))))


if __name__ == "__main__":
    main()
