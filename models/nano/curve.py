"""What size buys: `python -m models.nano.curve --minutes 10`. Several sizes are trained as long as each other, then read and run.

All begin at the same sample, so what they saw differs only by how fast they train. The held-out loss is that of replies in whole prompts of
the server; the speed is llama.cpp's.
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

from models.nano import tokenizer as tokens
from models.nano.checkpoint import FOLDER, load, save
from models.nano.draw import Split
from models.nano.export import export_all
from models.nano.mixture import SCHOOL, samples
from models.nano.network import Network, Shape
from models.nano.restore import BEGUN
from models.nano.train import Plan, new, train, vocabulary
from npc_server.bench.eval_model.speed import measure
from npc_server.config import EngineSettings
from npc_server.llm.worker import LlamaEngine

SEED = 2024
FROM = SCHOOL[-1][0]
"""The first sample: minutes are too few for a school of looking up."""
SIZES = (
    Shape(width=128, layers=4, heads=4, hidden=512),
    Shape(width=256, layers=4, heads=8, hidden=1024),
    Shape(width=384, layers=6, heads=12, hidden=1536),
)


@dataclass(frozen=True)
class Point:
    """One size. Sizes in millions, speed in tokens a second."""

    parameters_m: float
    width: int
    layers: int
    file_mb: float
    samples: int
    """Seen in training."""
    trained_tokens_s: float
    loss: float
    """Mean over the tokens of replies that are held out, in nats."""
    reply_tokens_s: float


def held_out_loss(network: Network, folder: Path, count: int) -> float:
    """Of the replies of `count` held-out samples, each token counted once."""
    words = vocabulary(folder)
    total, number = 0.0, 0
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        for sample in islice(samples(SEED, Split.HELD_OUT), count):
            (item,) = tokens.encode(words, [sample], 0.0)
            ids, wanted = torch.tensor([item.ids]), torch.tensor(item.weights[1:]) > 0
            logits = network.logits(network.hidden(ids[:, :-1])[0, wanted])
            total += float(F.cross_entropy(logits.float(), ids[0, 1:][wanted], reduction="sum"))
            number += int(wanted.sum())
    return total / number


async def speed_of(file: Path) -> float:
    """Tokens of replies a second in llama.cpp, several at once."""
    engine = LlamaEngine(file, EngineSettings())
    await engine.loaded()
    try:
        return (await measure(engine, 0.0, engine.process.pid)).together
    finally:
        await engine.close()


def points(shapes: Sequence[Shape], minutes: float, folder: Path, count: int, compiled: bool = True) -> list[Point]:
    """Trains each size in a folder of its own below `folder`, with one vocabulary for all."""
    found = []
    folder.mkdir(parents=True, exist_ok=True)
    vocabulary(folder)
    for shape in shapes:
        own = folder / f"{shape.width}x{shape.layers}"
        own.mkdir(exist_ok=True)
        (own / "tokenizer.json").write_bytes((folder / "tokenizer.json").read_bytes())
        torch.manual_seed(SEED)
        save(own / "checkpoint.pt", new(shape), None, {**BEGUN, "samples": FROM})
        train(Plan(minutes, fall=0.3), shape, own, compiled=compiled)
        network, kept = load(own / "checkpoint.pt")
        state = kept["state"]
        (file,) = export_all(own, kinds=["q8_0"])
        point = Point(
            parameters_m=network.millions,
            width=shape.width,
            layers=shape.layers,
            file_mb=file.stat().st_size / 1e6,
            samples=int(state["samples"]) - FROM,
            trained_tokens_s=state["tokens"] / state["seconds"],
            loss=held_out_loss(network, own, count),
            reply_tokens_s=asyncio.run(speed_of(file)),
        )
        print(point, flush=True)
        found.append(point)
    return found


def table(found: Sequence[Point]) -> str:
    rows = [
        "| parameters | width × layers | file | trained on | tokens/s in training | held-out loss | reply tokens/s |",
        "|---|---|---|---|---|---|---|",
    ]
    for p in found:
        shape = f"{p.width} × {p.layers}"
        speeds = f"{p.trained_tokens_s:,.0f} | {p.loss:.3f} | {p.reply_tokens_s:,.0f}"
        rows.append(f"| {p.parameters_m:.2f} M | {shape} | {p.file_mb:.1f} MB | {p.samples:,} samples | {speeds} |")
    return "\n".join(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description="Trains npc-nano in several sizes, and compares them.")
    parser.add_argument("--minutes", type=float, default=10, help="for each size")
    parser.add_argument("--count", type=int, default=150, help="held-out samples")
    parser.add_argument("--folder", type=Path, default=FOLDER / "curve")
    parser.add_argument("--json", type=Path, help="writes the figures to this file")
    args = parser.parse_args()
    found = points(SIZES, args.minutes, args.folder, args.count)
    print(table(found))
    if args.json:
        args.json.write_text(json.dumps([asdict(point) for point in found], indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
