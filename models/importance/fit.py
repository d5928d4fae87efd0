"""Fits the weights that rate a memory by its vector: `python -m models.importance.fit`, a ridge regression in closed form.

It reads the lines of `FILES`, and writes `npc_server/data/importance_head.json`. Needs the embedding model
(`npc-server model make-embedder`).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

from npc_eval.model.scores import spearman
from npc_server.config import EngineSettings
from npc_server.llm.engine import Vectors
from npc_server.llm.start import open_embedder

FOLDER = Path(__file__).parent
HEAD = FOLDER.parents[1] / "npc_server" / "data" / "importance_head.json"
FILES = {"lines.txt": 1.0, "said.txt": 0.6, "misleading.txt": 0.3, "incidents.txt": 0.3, "announced.txt": 0.6}
"""How much a line of each file counts. All but the first have more lines of their sort than a character's life has."""
TIMES = 3
"""How often a line is used, with other words in its braces."""
PENALTIES = (1.0, 3.0, 10.0, 30.0)
"""Ridge penalties that are compared on lines that were left out."""
PARTS = 5
_SLOT = re.compile(r"\{(\w+)\}")
Floats = NDArray[np.float64]


def read_lines(file: str) -> list[tuple[int, str]]:
    """Each line with its rating, 1 to 10."""
    rows = [line.split(" | ", 1) for line in (FOLDER / file).read_text(encoding="utf-8").splitlines() if line[:1] not in ("#", "")]
    return [(int(value), text) for value, text in rows]


def filled(text: str, words: Mapping[str, Sequence[str]], number: int) -> str:
    """A line with words in place of its braces. The same line and number give the same words."""
    rng = random.Random(f"{text} {number}")
    names = rng.sample(list(words["names"]), 3)
    given = dict(zip(("me", "a", "b"), names, strict=True))
    return _SLOT.sub(lambda slot: given.get(slot[1]) or rng.choice(list(words[slot[1]])), text)


def ridge(vectors: Vectors, ratings: Floats, counts: Floats, penalty: float) -> Floats:
    """Weights of shape (dimensions + 1,), the constant last. The constant is not made small. `counts` says how much each row counts."""
    rows = np.column_stack([vectors, np.ones(len(vectors))])
    small = penalty * np.eye(rows.shape[1])
    small[-1, -1] = 0.0
    counted = rows.T * counts
    found: Floats = np.linalg.solve(counted @ rows + small, counted @ ratings)
    return found


def rated(vectors: Vectors, weights: Floats) -> Floats:
    """Ratings of shape (len(vectors),)."""
    found: Floats = vectors @ weights[:-1] + weights[-1]
    return found


def left_out(vectors: Vectors, ratings: Floats, counts: Floats, lines: NDArray[np.int64], penalty: float) -> Floats:
    """The rating of each text by weights that were fitted without its line."""
    found = np.zeros(len(ratings))
    for part in range(PARTS):
        out = lines % PARTS == part
        found[out] = rated(vectors[out], ridge(vectors[~out], ratings[~out], counts[~out], penalty))
    return found


async def fit(settings: EngineSettings) -> tuple[dict[str, Any], list[str]]:
    """The file's content, and what to print."""
    words = yaml.safe_load((FOLDER / "words.yaml").read_text(encoding="utf-8"))
    rows = [(value, text, file) for file in FILES for value, text in read_lines(file)]
    texts = [filled(text, words, number) for _, text, _ in rows for number in range(TIMES)]
    ratings, files = np.repeat([float(value) for value, _, _ in rows], TIMES), np.repeat([file for _, _, file in rows], TIMES)
    counts, lines = np.array([FILES[file] for file in files]), np.repeat(np.arange(len(rows)), TIMES)
    embedder = await open_embedder(settings)
    vectors = await embedder.embed(texts)
    await embedder.close()
    found = {penalty: left_out(vectors, ratings, counts, lines, penalty) for penalty in PENALTIES}
    scores = {
        penalty: [spearman(it[files == file].tolist(), ratings[files == file].tolist()) for file in FILES] for penalty, it in found.items()
    }
    best = max(scores, key=lambda penalty: scores[penalty][0])
    weights = ridge(vectors, ratings, counts, best)
    told = [f"{len(rows)} lines, {embedder.name}; rank correlation on lines left out, by penalty and file ({', '.join(FILES)}):"]
    told += [f"  {penalty:4.0f}  {'  '.join(f'{it:.3f}' for it in by_file)}" for penalty, by_file in scores.items()]
    head = {"constant": round(float(weights[-1]), 4), "weights": [round(float(it), 3) for it in weights[:-1]]}
    return {embedder.name: head}, told


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="Fits the weights of importance by meaning.")
    parser.add_argument("--out", type=Path, default=HEAD, help="the file; weights for other embedding models stay in it")
    parser.add_argument("--embedding-model", default=EngineSettings().embedding_model, help="as in the settings")
    it = parser.parse_args(arguments)
    settings = EngineSettings(reranker="none", models_folder=Path("models"), embedding_model=it.embedding_model)
    content, told = asyncio.run(fit(settings))
    others = json.loads(it.out.read_text(encoding="utf-8")) if it.out.is_file() else {}
    it.out.write_text(json.dumps({**others, **content}) + "\n", encoding="utf-8")
    sys.stdout.write("\n".join(told) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
