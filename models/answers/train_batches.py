"""Trains npc-answers on a GPU: `python -m models.answers.train_batches --minutes 2`, with the pairs that `prepare.py` wrote.

The loss is that of npc-rerank (`models/rerank/train.py`): whether each text answers, and the order of the texts of an example.
"""

# ruff: noqa: T201
from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from models.answers import adapter_file, network
from models.answers.network import PairNetwork
from models.rerank.losses import SHARES, Rows, loss_of, told_apart
from models.speak import packed
from models.speak.packed import PackedRow

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Plan:
    """What a run does. With the machine's speed this determines the result."""

    minutes: float
    rate: float = 7e-4
    floor: float = 0.03
    """Share of the rate that is left at the end; it falls along a line."""
    tokens: int = 24_576
    """Tokens of a step, at most."""
    rank: int = 32
    alpha: float = 64.0
    dropped: float = 0.05
    decay: float = 0.01
    warm_steps: int = 60
    apart: float = 0.05
    """By so much one text has to answer better than another, for the order to count."""
    seed: int = 7
    log_every: int = 200


def odds_of(net: PairNetwork, batch: Sequence[PackedRow]) -> Tensor:
    """The log odds of all pairs of the rows."""
    device = net.bias.device
    pairs = [part for row in batch for part in np.split(row.ids, row.asked[:-1] + 1)]
    lengths = np.array([len(it) for it in pairs])
    ids = np.zeros((len(pairs), lengths.max()), np.int64)
    for row, it in zip(ids, pairs, strict=True):
        row[: len(it)] = it
    found: Tensor = net(torch.from_numpy(ids).to(device), torch.from_numpy(lengths).to(device))
    return found


def train(net: PairNetwork, rows: Rows, plan: Plan) -> None:
    """Trains until the minutes are over, and prints how well it tells apart what is held back."""
    optimizer = torch.optim.AdamW(net.parameters(), lr=plan.rate, weight_decay=plan.decay, betas=(0.9, 0.98))
    rng, began, step, pairs, share, recent = random.Random(plan.seed), time.monotonic(), 0, 0, 0.0, list[float]()
    print(json.dumps({"step": 0, **told_apart(lambda batch: odds_of(net, batch), rows, plan.tokens)}), flush=True)
    while share < 1:
        chosen = [row for kind, part in SHARES.items() for row in rows[kind] for _ in range(int(part + rng.random()))]
        for batch in packed.batches(chosen, plan.tokens, rng):
            for group in optimizer.param_groups:
                group["lr"] = plan.rate * min(1.0, (step + 1) / plan.warm_steps) * max(plan.floor, 1 - share)
            loss = loss_of(odds_of(net, batch), batch, plan.apart)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            recent.append(loss.item())
            step, pairs = step + 1, pairs + sum(len(row.wanted) for row in batch)
            share = (time.monotonic() - began) / 60 / plan.minutes
            if step % plan.log_every == 0:
                print(f"{step:5} {share:5.0%} {pairs} pairs, loss {np.mean(recent[-plan.log_every :]):.3f}", flush=True)
            if share >= 1:
                break
    net.eval()
    print(json.dumps({"step": step, "pairs": pairs, **told_apart(lambda batch: odds_of(net, batch), rows, plan.tokens)}), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Trains npc-answers on a GPU.")
    parser.add_argument("--minutes", type=float, default=2)
    parser.add_argument("--base", type=Path, default=FOLDER.parent / "all-minilm-l6-v2.gguf", help="the embedding model")
    parser.add_argument("--pairs", type=Path, default=FOLDER / "checkpoints" / "pairs.npz", help="what models.answers.prepare wrote")
    parser.add_argument("--from", dest="begin", type=Path, help="an adapter with which it begins")
    parser.add_argument("--out", type=Path, default=FOLDER / "checkpoints" / "npc-answers.lora.gguf")
    parser.add_argument("--rate", type=float, default=Plan.rate)
    parser.add_argument("--tokens", type=int, default=Plan.tokens, help="tokens of a step, at most")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    it = parser.parse_args()
    plan = Plan(it.minutes, it.rate, tokens=it.tokens)
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
