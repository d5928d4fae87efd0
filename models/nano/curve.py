"""Loss and speed by model size: `python -m models.nano.curve --minutes 10`. Several sizes are trained for equal times.

All begin with the same base and the same samples. The held-out loss is over replies to whole prompts of the server. The speed is that
of llama.cpp.
"""

# ruff: noqa: T201
from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

import torch
import torch.nn.functional as F
from tokenizers import Tokenizer

from models.nano import tokenizer as tokens
from models.nano.base import HIDDEN, LAYERS, begin, load_base
from models.nano.checkpoint import FOLDER, load
from models.nano.draw import Split
from models.nano.export import export_all
from models.nano.mixture import samples
from models.nano.network import Network
from models.nano.quantization import quantized
from models.nano.train import Plan, train
from npc_server.config import EngineSettings
from npc_server.evaluation.benchmarks.engine import measure
from npc_server.llm.worker import LlamaEngine

SEED = 2024
SIZES = ((16, 480), (16, 960), (LAYERS, HIDDEN))
"""Layers of the base that are kept, and hidden units of each."""


@dataclass(frozen=True)
class Point:
    """The figures of one size."""

    parameters_m: float
    layers: int
    hidden: int
    file_mb: float
    samples: int
    """Samples seen in training."""
    trained_tokens_s: float
    loss: float
    """Mean over the tokens of held-out replies, in nats."""
    reply_tokens_s: float


def held_out_loss(network: Network, folder: Path, count: int) -> float:
    """Mean loss in nats over the reply tokens of `count` held-out samples."""
    words = Tokenizer.from_file(str(folder / "tokenizer.json"))
    total, number = 0.0, 0
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16), quantized(network):
        for sample in islice(samples(SEED, Split.HELD_OUT), count):
            (item,) = tokens.encode(words, [sample], 0.0)
            ids, wanted = torch.tensor([item.ids]), torch.tensor(item.weights[1:]) > 0
            logits = network.logits(network.hidden(ids[:, :-1])[0, wanted])
            total += float(F.cross_entropy(logits.float(), ids[0, 1:][wanted], reduction="sum"))
            number += int(wanted.sum())
    return total / number


async def speed_of(file: Path) -> float:
    """Reply tokens per second in llama.cpp, with 16 parallel replies."""
    engine = LlamaEngine(file, EngineSettings())
    await engine.loaded()
    try:
        return (await measure(engine, 0.0, engine.process.pid)).together
    finally:
        await engine.close()


def points(
    sizes: Sequence[tuple[int, int]], minutes: float, folder: Path, count: int, wheel: Path | None = None, compiled: bool = True
) -> list[Point]:
    """Trains and measures each size, in a folder of its own inside `folder`. `count` are the held-out samples."""
    found = []
    base = load_base(wheel)
    for layers, hidden in sizes:
        own = folder / f"{layers}x{hidden}"
        begin(own, *base, layers, hidden)
        train(Plan(minutes, fall=0.5, rounded=True), own, compiled=compiled)
        network, kept = load(own / "checkpoint.pt")
        state = kept["state"]
        (file,) = export_all(own, kinds=["q4_0"])
        point = Point(
            parameters_m=network.millions,
            layers=layers,
            hidden=hidden,
            file_mb=file.stat().st_size / 1e6,
            samples=int(state["samples"]),
            trained_tokens_s=state["tokens"] / state["seconds"],
            loss=held_out_loss(network, own, count),
            reply_tokens_s=asyncio.run(speed_of(file)),
        )
        print(point, flush=True)
        found.append(point)
    return found


def table(found: Sequence[Point]) -> str:
    rows = [
        "| parameters | layers × hidden | file | trained on | tokens/s in training | held-out loss | reply tokens/s |",
        "|---|---|---|---|---|---|---|",
    ]
    for p in found:
        speeds = f"{p.trained_tokens_s:,.0f} | {p.loss:.3f} | {p.reply_tokens_s:,.0f}"
        rows.append(f"| {p.parameters_m:.2f} M | {p.layers} × {p.hidden} | {p.file_mb:.1f} MB | {p.samples:,} samples | {speeds} |")
    return "\n".join(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description="Trains npc-nano in several sizes, and compares them.")
    parser.add_argument("--minutes", type=float, default=10, help="for each size")
    parser.add_argument("--count", type=int, default=150, help="held-out samples")
    parser.add_argument("--folder", type=Path, default=FOLDER / "curve")
    parser.add_argument("--wheel", type=Path, help="the wheel of the base, where it cannot be fetched")
    parser.add_argument("--json", type=Path, help="writes the figures to this file")
    args = parser.parse_args()
    found = points(SIZES, args.minutes, args.folder, args.count, args.wheel)
    print(table(found))
    if args.json:
        args.json.write_text(json.dumps([asdict(point) for point in found], indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
