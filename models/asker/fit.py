"""Fits the weights that tell whether a question is about the one who asks: `python -m models.asker.fit`, a ridge regression.

It reads players' lines of the bank of exchanges. A line in which a player says only "I" or "my" is about the player, and one with only
"you" or "your" is about the other. So lines with neither, such as "Who is Wilma?", are judged by what they resemble. It writes
`npc_server/data/asker_head.json`. Needs the embedding model (`npc-server model make-embedder`).
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np

from models.importance.fit import Floats, left_out, ridge
from npc_server.bank.exchange_bank import bank_settings
from npc_server.bank.exchanges import load_exchanges
from npc_server.config import EngineSettings
from npc_server.llm.start import open_embedder

HEAD = Path(__file__).parents[2] / "npc_server" / "data" / "asker_head.json"
PENALTY = 3.0
PASS = 0.99
"""So many of the players' lines about themselves pass, of those that were left out."""
_OWN = re.compile(r"\b(i|i'm|im|my|me|mine|myself|i've|ive|i'd|i'll)\b", re.IGNORECASE)
_YOURS = re.compile(r"\b(you|your|yours|u|ur|yourself|you're|youre|you've|ya)\b", re.IGNORECASE)


def labelled(said: list[str]) -> tuple[list[str], Floats]:
    """The lines that are clearly about the player (1) or about the other (-1)."""
    found = {line: bool(_OWN.search(line)) - bool(_YOURS.search(line)) for line in said}
    return [line for line, label in found.items() if label], np.array([float(label) for label in found.values() if label])


async def fit(settings: EngineSettings) -> tuple[dict[str, Any], list[str]]:
    """The file's content, and what to print."""
    lines, labels = labelled([line for it in load_exchanges(bank_settings().described) if not it.is_exact for line in it.said])
    embedder = await open_embedder(settings)
    vectors = await embedder.embed(lines)
    await embedder.close()
    # Both kinds count equally, however many lines there are of each.
    counts = np.where(labels > 0, 1 / (labels > 0).mean(), 1 / (labels < 0).mean())
    found = left_out(vectors, labels, counts, np.arange(len(labels)), PENALTY)
    least = float(np.quantile(found[labels > 0], 1 - PASS))
    refused = float((found[labels < 0] < least).mean())
    weights = ridge(vectors, labels, counts, PENALTY)
    # From 0 on a line counts as one about the player.
    head = {"weights": [round(float(it), 4) for it in weights[:-1]], "constant": round(float(weights[-1]) - least, 4)}
    told = [
        f"{(labels > 0).sum()} lines about the player, {(labels < 0).sum()} about the other",
        f"of the others {refused:.0%} are refused",
    ]
    return {embedder.name: head}, told


def main() -> None:
    head, told = asyncio.run(fit(EngineSettings()))
    HEAD.write_text(json.dumps(head, separators=(",", ":")) + "\n", encoding="utf-8")
    sys.stdout.write("\n".join(told) + "\n")


if __name__ == "__main__":
    main()
