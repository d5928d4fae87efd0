"""Trains npc-rerank: `python -m models.rerank.train --minutes 6 --device cuda`.

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
import torch.nn.functional as F
from torch import Tensor

from models.rerank.examples import SHARES, Example, examples
from models.rerank.network import RerankNetwork
from models.speak.adapter_file import add_matrices, lora_writer
from models.speak.base import read_file, shape_of
from npc_server.llm.llama_vocab import Vocabulary
from npc_server.llm.rerank_form import RerankForm

BASE = Path(__file__).parent.parent / "npc-speak.gguf"
NAME = "npc-rerank"
MIXED = 3000
"""So many examples are drawn before they are sorted by length."""
TESTED_TOGETHER = 65_536
"""Tokens in a step of the test."""


@dataclass(frozen=True)
class Plan:
    """What a run does. With the machine's speed this determines the result."""

    minutes: float
    rate: float = 5e-4
    floor: float = 0.03
    """Share of the rate that is left at the end; it falls along a line."""
    tokens: int = 16_384
    """Tokens of a step, about."""
    rank: int = 16
    alpha: float = 32.0
    dropped: float = 0.05
    decay: float = 0.01
    warm_steps: int = 60
    apart: float = 0.05
    """By so much one text has to answer better than another, for the order to count."""
    seed: int = 1
    log_every: int = 100


@dataclass(frozen=True)
class Read:
    """An example as tokens."""

    kind: str
    rows: tuple[list[int], ...]
    fits: tuple[float, ...]

    @property
    def tokens(self) -> int:
        return sum(map(len, self.rows))


def as_tokens(form: RerankForm, it: Example) -> Read:
    asked = form.asked(it.heard)
    return Read(it.kind, tuple([*asked, *form.answer(text)] for text, _ in it.texts), tuple(fits for _, fits in it.texts))


def in_order(every: Sequence[Read], tokens: int) -> Iterator[list[Read]]:
    """The examples by length, in batches of at most so many tokens, or of one example."""
    part: list[Read] = []
    for it in sorted(every, key=lambda it: len(it.rows[0])):
        if part and sum(one.tokens for one in part) + it.tokens > tokens:
            yield part
            part = []
        part.append(it)
    yield part


def batches(every: Sequence[Read], tokens: int, rng: random.Random) -> Iterator[list[Read]]:
    """One pass in random order, with examples of about the same length together."""
    chosen = [it for it in every for _ in range(int(SHARES[it.kind] + rng.random()))]
    rng.shuffle(chosen)
    found: list[list[Read]] = []
    for start in range(0, len(chosen), MIXED):
        found += in_order(chosen[start : start + MIXED], tokens)
    rng.shuffle(found)
    yield from found


def loss_of(net: RerankNetwork, batch: Sequence[Read], apart: float) -> Tensor:
    odds = net([row for it in batch for row in it.rows])
    fits = torch.tensor([one for it in batch for one in it.fits], device=odds.device)
    of = torch.tensor([number for number, it in enumerate(batch) for _ in it.rows], device=odds.device)
    better = fits[:, None] - fits[None]
    better = better * ((of[:, None] == of[None]) & (better > apart))
    order = (F.softplus(odds[None] - odds[:, None]) * better).sum() / better.sum().clamp(min=1e-6)
    return F.binary_cross_entropy_with_logits(odds, fits) + order


def tested(net: RerankNetwork, held: Sequence[Read]) -> dict[str, float]:
    """By kind, the share of pairs of an answering and another text of an example that are told apart."""
    net.eval()
    right: dict[str, list[float]] = {}
    with torch.no_grad():
        for batch in in_order(held, TESTED_TOGETHER):
            odds = net([row for it in batch for row in it.rows]).cpu().numpy()
            for it in batch:
                mine, odds = odds[: len(it.rows)], odds[len(it.rows) :]
                good = np.array(it.fits) > 0.5
                right.setdefault(it.kind, []).extend((mine[good][:, None] > mine[~good][None]).ravel())
    net.train()
    return {kind: round(float(np.mean(found)), 4) for kind, found in right.items() if found}


def write(path: Path, net: RerankNetwork) -> None:
    with lora_writer(path, "llama", NAME, net.alpha) as writer:
        add_matrices(writer, net)


def train(plan: Plan, base: Path, out: Path, device: str) -> None:
    torch.manual_seed(plan.seed)
    form = RerankForm.of(Vocabulary(base, 64 << 20).tokenizer)
    every, held = ([as_tokens(form, it) for it in examples(is_held)] for is_held in (False, True))
    fields, tensors = read_file(base)
    dtype = torch.bfloat16 if device == "cuda" else torch.float32
    net = RerankNetwork(shape_of(fields), tensors, form.verdicts, plan.rank, plan.alpha, plan.dropped, dtype).to(device)
    optimizer = torch.optim.AdamW(net.parameters(), lr=plan.rate, weight_decay=plan.decay, betas=(0.9, 0.98))
    rng, began, step, share, recent = random.Random(plan.seed), time.monotonic(), 0, 0.0, list[float]()
    while share < 1:
        for batch in batches(every, plan.tokens, rng):
            for group in optimizer.param_groups:
                group["lr"] = plan.rate * min(1.0, (step + 1) / plan.warm_steps) * max(plan.floor, 1 - share)
            loss = loss_of(net, batch, plan.apart)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            recent.append(loss.item())
            step, share = step + 1, (time.monotonic() - began) / 60 / plan.minutes
            if step % plan.log_every == 0:
                print(f"{step:5} {share:5.0%} loss {np.mean(recent[-plan.log_every :]):.3f}", flush=True)
            if share >= 1:
                break
    write(out, net)
    print(json.dumps({"step": step, "seconds": round(time.monotonic() - began), **tested(net, held)}), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Trains npc-rerank.")
    parser.add_argument("--minutes", type=float, default=6)
    parser.add_argument("--base", type=Path, default=BASE, help="the file of npc-speak")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "checkpoints" / "npc-rerank.lora.gguf")
    parser.add_argument("--rate", type=float, default=Plan.rate)
    parser.add_argument("--seed", type=int, default=Plan.seed)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    it = parser.parse_args()
    it.out.parent.mkdir(parents=True, exist_ok=True)
    train(Plan(it.minutes, it.rate, seed=it.seed), it.base, it.out, it.device)


if __name__ == "__main__":
    main()
