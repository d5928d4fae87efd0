"""Trains npc-answers on a GPU: `python -m models.answers.train_batches --minutes 2`, with the pairs that `prepare.py` wrote.

The loss is that of npc-rerank (`models/rerank/losses.py`).
"""

# ruff: noqa: T201
from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from models.answers import adapter_file, network
from models.answers.network import PairNetwork
from models.rerank.losses import APART, SHARES, loss_of, told_apart
from models.training import packed
from models.training.batch_network import padded
from models.training.packed import PackedRow
from models.training.steps import Plan, Rows, steps

FOLDER = Path(__file__).parent


RANK, ALPHA, RATE, TOKENS, SEED, LOG_EVERY = 32, 64.0, 7e-4, 24_576, 7, 200


def odds_of(net: PairNetwork, batch: Sequence[PackedRow]) -> Tensor:
    """The log odds of all pairs of the rows."""
    device = net.bias.device
    pairs = [part for row in batch for part in np.split(row.ids, row.asked[:-1] + 1)]
    lengths = np.array([len(it) for it in pairs])
    found: Tensor = net(padded(pairs, int(lengths.max())).to(device), torch.from_numpy(lengths).to(device))
    return found


def train(net: PairNetwork, rows: Rows, plan: Plan) -> None:
    """Trains until the minutes are over, and prints how well it tells apart what is held back, before and after."""
    print(json.dumps(told_apart(lambda batch: odds_of(net, batch), rows, plan.tokens)), flush=True)
    for step in steps(net, rows, SHARES, plan, lambda batch: loss_of(odds_of(net, batch), batch, APART)):
        if step.number % LOG_EVERY == 0 or step.share >= 1:
            print(f"{step.number:5} {step.share:5.0%} {step.wanted} pairs, loss {step.loss:.3f}", flush=True)
    net.eval()
    print(json.dumps(told_apart(lambda batch: odds_of(net, batch), rows, plan.tokens)), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Trains npc-answers on a GPU.")
    parser.add_argument("--minutes", type=float, default=2)
    parser.add_argument("--base", type=Path, default=FOLDER.parent / "all-minilm-l6-v2.gguf", help="the embedding model")
    parser.add_argument("--pairs", type=Path, default=FOLDER / "checkpoints" / "pairs.npz", help="what models.answers.prepare wrote")
    parser.add_argument("--from", dest="begin", type=Path, help="an adapter with which it begins")
    parser.add_argument("--out", type=Path, default=FOLDER / "checkpoints" / "npc-answers.lora.gguf")
    parser.add_argument("--rate", type=float, default=RATE)
    parser.add_argument("--tokens", type=int, default=TOKENS, help="tokens of a step, at most")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    it = parser.parse_args()
    plan = Plan(it.minutes, it.rate, RANK, ALPHA, it.tokens, seed=SEED)
    torch.manual_seed(plan.seed)
    torch.set_float32_matmul_precision("high")
    net = PairNetwork(network.read(it.base), plan.rank, plan.alpha, plan.dropped)
    if it.begin is not None:
        adapter_file.read_into(it.begin, net)
    net = net.to(it.device)
    train(net, packed.read(it.pairs), plan)
    adapter_file.write(it.out, net.cpu())


if __name__ == "__main__":
    main()
