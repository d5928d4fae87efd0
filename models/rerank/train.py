"""Trains npc-rerank: `python -m models.rerank.train --minutes 6 --device cuda`, with the rows that `prepare.py` wrote.

It begins with npc-speak. The loss is the cross entropy of "answers" and "does not", and for each two texts of an example of which one
answers better, that of their order (Bradley and Terry 1952), weighted by how much better it answers.
"""

# ruff: noqa: T201
from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from models.rerank.losses import SHARES, Rows, loss_of, told_apart
from models.speak import packed
from models.speak.adapter_file import add_matrices, lora_writer
from models.speak.base import read_file, shape_of
from models.speak.batch_network import BatchNetwork
from models.speak.packed import PackedRow

FOLDER = Path(__file__).parent
NAME = "npc-rerank"
VERDICTS = ("Ġyes", "Ġno")
"""The words whose logits after a text are compared, as the vocabulary has them (`npc_server/llm/rerank_form.py`)."""


@dataclass(frozen=True)
class Plan:
    """What a run does. With the machine's speed this determines the result."""

    minutes: float
    rate: float = 5e-4
    floor: float = 0.03
    """Share of the rate that is left at the end; it falls along a line."""
    tokens: int = 32_768
    """Tokens of a step, at most."""
    rank: int = 16
    alpha: float = 32.0
    dropped: float = 0.05
    decay: float = 0.01
    warm_steps: int = 60
    apart: float = 0.05
    """By so much one text has to answer better than another, for the order to count."""
    seed: int = 1
    log_every: int = 100


def batches(rows: Rows, plan: Plan, rng: random.Random) -> Iterator[list[PackedRow]]:
    """One pass: the rows of each kind as often as its share says."""
    chosen = [row for kind, share in SHARES.items() for row in rows[kind] for _ in range(int(share + rng.random()))]
    yield from packed.batches(chosen, plan.tokens, rng)


def odds_of(net: BatchNetwork, verdict: Tensor, batch: Sequence[PackedRow]) -> Tensor:
    """The log odds that each text of the rows answers."""
    found: Tensor = net(batch) @ verdict
    return found


def write(path: Path, net: BatchNetwork) -> None:
    with lora_writer(path, "llama", NAME, net.alpha) as writer:
        add_matrices(writer, net)


def verdict_of(words: Sequence[str], embedding: Tensor) -> Tensor:
    """What the last layer is multiplied with for the difference of the two logits."""
    yes, no = (words.index(word) for word in VERDICTS)
    return embedding[yes] - embedding[no]


def train(net: BatchNetwork, verdict: Tensor, rows: Rows, plan: Plan) -> None:
    """Trains until the minutes are over, and prints how well it tells apart what is held back."""
    optimizer = torch.optim.AdamW(net.parameters(), lr=plan.rate, weight_decay=plan.decay, betas=(0.9, 0.98))
    rng, began, step, tokens, share, recent = random.Random(plan.seed), time.monotonic(), 0, 0, 0.0, list[float]()
    while share < 1:
        for batch in batches(rows, plan, rng):
            for group in optimizer.param_groups:
                group["lr"] = plan.rate * min(1.0, (step + 1) / plan.warm_steps) * max(plan.floor, 1 - share)
            loss = loss_of(odds_of(net, verdict, batch), batch, plan.apart)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            recent.append(loss.item())
            step, tokens, share = step + 1, tokens + sum(map(len, batch)), (time.monotonic() - began) / 60 / plan.minutes
            if step % plan.log_every == 0:
                print(f"{step:5} {share:5.0%} {tokens / 1e6:.1f} million tokens, loss {np.mean(recent[-plan.log_every :]):.3f}", flush=True)
            if share >= 1:
                break
    net.eval()
    print(
        json.dumps({"step": step, "tokens": tokens, **told_apart(lambda batch: odds_of(net, verdict, batch), rows, plan.tokens)}),
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Trains npc-rerank.")
    parser.add_argument("--minutes", type=float, default=6)
    parser.add_argument("--base", type=Path, default=FOLDER.parent / "npc-speak.gguf", help="the file of npc-speak")
    parser.add_argument("--rows", type=Path, default=FOLDER / "checkpoints" / "rows.npz", help="what models.rerank.prepare wrote")
    parser.add_argument("--out", type=Path, default=FOLDER / "checkpoints" / "npc-rerank.lora.gguf")
    parser.add_argument("--rate", type=float, default=Plan.rate)
    parser.add_argument("--dropped", type=float, default=Plan.dropped, help="share of the numbers that are left out in training")
    parser.add_argument("--seed", type=int, default=Plan.seed)
    parser.add_argument("--tokens", type=int, default=Plan.tokens, help="tokens of a step, at most")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    it = parser.parse_args()
    plan = Plan(it.minutes, it.rate, tokens=it.tokens, dropped=it.dropped, seed=it.seed)
    torch.manual_seed(plan.seed)
    fields, tensors = read_file(it.base)
    dtype = torch.bfloat16 if it.device == "cuda" else torch.float32
    net = BatchNetwork(shape_of(fields), tensors, plan.rank, plan.alpha, plan.dropped, dtype).to(it.device)
    verdict = verdict_of(fields["tokenizer.ggml.tokens"], tensors["token_embd.weight"]).to(it.device)
    train(net, verdict, packed.read(it.rows), plan)
    write(it.out, net)


if __name__ == "__main__":
    main()
