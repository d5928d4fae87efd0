"""Trains npc-answers, which says how well a text answers a line: `python -m models.answers.train --minutes 40`.

It begins with the embedding model. The loss is the cross entropy of "answers" and "does not" over all texts of the groups of a step.
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
import torch.nn.functional as F
from torch import Tensor

from models.answers import adapter_file, network
from models.answers.groups import KINDS, Group, groups
from models.answers.pairs import BASE, PairReader
from models.training.malloc import keep_freed_memory


@dataclass(frozen=True)
class Plan:
    """What a run does. With the machine's speed this determines the result."""

    minutes: float
    rate: float = 1e-3
    floor: float = 0.05
    """Share of the rate that is left at the end; it falls along a line."""
    groups: int = 24
    """Groups of a step."""
    rank: int = 32
    alpha: float = 64.0
    dropped: float = 0.05
    decay: float = 0.01
    warm_steps: int = 50
    seed: int = 7
    tested: int = 150
    """Groups of each kind on which it is tested."""
    log_every: int = 25


def batches(reader: PairReader, of: Sequence[tuple[str, str]], most: int = 4096) -> list[tuple[list[int], Tensor, Tensor]]:
    """Pairs in batches of about the same length: their places, tokens and lengths."""
    rows = [reader.pair(*it) for it in of]
    order = sorted(range(len(rows)), key=lambda place: len(rows[place]))
    found, part = [], list[int]()
    for place in order:
        if part and (len(part) + 1) * len(rows[place]) > most:
            found.append(part)
            part = []
        part.append(place)
    made = []
    for places in (*found, part):
        longest = max(len(rows[place]) for place in places)
        ids = torch.tensor([[*rows[place], *[0] * (longest - len(rows[place]))] for place in places])
        made.append((places, ids, torch.tensor([len(rows[place]) for place in places])))
    return made


def scores(net: network.PairNetwork, reader: PairReader, of: Sequence[tuple[str, str]]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The log odds for pairs of a line and a text."""
    found = np.zeros(len(of))
    net.eval()
    with torch.no_grad():
        for places, ids, lengths in batches(reader, of):
            found[places] = net(ids, lengths).double().numpy()
    net.train()
    return found


def tested(net: network.PairNetwork, reader: PairReader, plan: Plan) -> dict[str, float]:
    """Of what is held back, by kind: the share of pairs of an answering and another text of a group that are told apart.

    A group in which no text answers is compared with the others of its kind, so how sure a score is counts as well.
    """
    found: dict[str, float] = {}
    for kind, (draw, _) in KINDS.items():
        if kind == "exchanges":
            continue  # none is held back: the bank is in play
        rng = random.Random(plan.seed)
        drawn = [draw(rng, True) for _ in range(plan.tested)]
        pairs = [(group.line, text) for group in drawn for text, _ in group.texts]
        right = np.array([fits > 0.5 for group in drawn for _, fits in group.texts])
        of = np.array([number for number, group in enumerate(drawn) for _ in group.texts])
        values = scores(net, reader, pairs)
        higher = values[right][:, None] > values[~right][None]
        same = of[right][:, None] == of[~right][None]
        found[kind] = round(float(higher[same].mean()), 4)
        found[f"{kind}, of all"] = round(float(higher.mean()), 4)
    return found


def loss_of(net: network.PairNetwork, reader: PairReader, drawn: Sequence[Group]) -> Tensor:
    pairs = [(group.line, text) for group in drawn for text, _ in group.texts]
    right = torch.tensor([fits for group in drawn for _, fits in group.texts])
    losses = [
        F.binary_cross_entropy_with_logits(net(ids, lengths), right[places], reduction="sum")
        for places, ids, lengths in batches(reader, pairs, 1_400)
    ]
    return torch.stack(losses).sum() / len(pairs)


def train(plan: Plan, out: Path, begin: Path | None = None) -> None:
    torch.manual_seed(plan.seed)
    base, reader = network.read(BASE), PairReader(BASE)
    net = network.PairNetwork(base, plan.rank, plan.alpha, plan.dropped)
    if begin is not None:
        adapter_file.read_into(begin, net)
    optimizer = torch.optim.AdamW(net.parameters(), lr=plan.rate, weight_decay=plan.decay, betas=(0.9, 0.98))
    source, began, pairs, recent = groups(plan.seed), time.monotonic(), 0, list[float]()
    step, share = 0, 0.0
    log = out.parent / "log.jsonl"
    while share < 1:
        rate = plan.rate * min(1.0, (step + 1) / plan.warm_steps) * max(plan.floor, 1 - share)
        for group in optimizer.param_groups:
            group["lr"] = rate
        drawn = [next(source) for _ in range(plan.groups)]
        loss = loss_of(net, reader, drawn)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        recent.append(loss.item())
        pairs += sum(len(group.texts) for group in drawn)
        step, share = step + 1, (time.monotonic() - began) / 60 / plan.minutes
        if step % plan.log_every == 0:
            print(
                f"{step:5} {share:5.0%} loss {np.mean(recent[-plan.log_every :]):.3f}  {pairs / (time.monotonic() - began):.0f} pairs/s",
                flush=True,
            )
        if step % (20 * plan.log_every) == 0:
            print(tested(net, reader, plan), flush=True)
            adapter_file.write(out, net)
    held = tested(net, reader, plan)
    print(held, flush=True)
    adapter_file.write(out, net)
    seconds = round(time.monotonic() - began)
    with log.open("a", encoding="utf-8") as file:
        file.write(
            json.dumps({"step": step, "pairs": pairs, "seconds": seconds, "loss": round(float(np.mean(recent[-200:])), 4), **held}) + "\n"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description="Trains npc-answers.")
    parser.add_argument("--minutes", type=float, default=40)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "checkpoints" / "npc-answers.lora.gguf")
    parser.add_argument("--rate", type=float, default=Plan.rate)
    parser.add_argument("--from", dest="begin", type=Path, help="an adapter with which it begins")
    parser.add_argument("--seed", type=int, default=Plan.seed)
    parser.add_argument("--threads", type=int, default=2)
    it = parser.parse_args()
    torch.set_num_threads(it.threads)
    it.out.parent.mkdir(parents=True, exist_ok=True)
    train(Plan(it.minutes, it.rate, seed=it.seed), it.out, it.begin)


if __name__ == "__main__":
    keep_freed_memory()
    main()
