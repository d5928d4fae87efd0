"""Trains npc-speak's adapters on a GPU, many rows at once: `python -m models.speak.train_batches --minutes 4`.

The rows are those that `prepare.py` wrote. The loss is on answers alone, as in `train.py`.
"""

# ruff: noqa: T201
from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from models.speak import adapter_file, base, packed
from models.speak.batch_network import BatchNetwork
from models.speak.packed import HELD, PackedRow, by_length

FOLDER = Path(__file__).parent
SHARES: Mapping[str, float] = {"talks": 1.0, "meetings": 1.0, "days": 0.6, "reactions": 1.0, "summaries": 1.0, "reflections": 0.6}
"""How often a row of each kind comes in a pass."""

Rows = Mapping[str, Sequence[PackedRow]]


@dataclass(frozen=True)
class Plan:
    """What a run does. With the machine's speed this determines the result."""

    minutes: float
    rate: float = 6e-4
    floor: float = 0.03
    """Share of the rate that is left at the end; it falls along a line."""
    tokens: int = 32_768
    """Tokens of a step, at most."""
    rank: int = 32
    alpha: float = 64.0
    dropped: float = 0.05
    decay: float = 0.01
    warm_steps: int = 40
    seed: int = 7
    tested: int = 5
    """How often what is held back is tested."""


def batches(rows: Rows, plan: Plan, rng: random.Random) -> Iterator[list[PackedRow]]:
    """One pass: the rows of each kind as often as its share says."""
    chosen = [row for kind, share in SHARES.items() for row in rows[kind] for _ in range(int(share + rng.random()))]
    yield from packed.batches(chosen, plan.tokens, rng)


def losses(net: BatchNetwork, batch: Sequence[PackedRow]) -> Tensor:
    """The loss of each token of the rows' answers."""
    wanted = torch.from_numpy(np.concatenate([row.wanted for row in batch]).astype(np.int64))
    found = net(batch)
    return F.cross_entropy(net.logits(found), wanted.to(found.device), reduction="none")


def tested(net: BatchNetwork, rows: Rows, tokens: int) -> dict[str, float]:
    """The mean loss of a token of the answers that are held back, by kind."""
    net.eval()
    found: dict[str, float] = {}
    with torch.no_grad():
        for kind in (kind for kind in rows if kind.startswith(HELD)):
            each = [losses(net, batch) for batch in by_length(rows[kind], tokens)]
            found[kind.removeprefix(HELD)] = round(torch.cat(each).mean().item(), 4)
    net.train()
    return found


def train(net: BatchNetwork, rows: Rows, plan: Plan) -> Iterator[dict[str, object]]:
    """Trains until the minutes are over. Yields the state at the beginning, now and then, and at the end, with the losses."""
    optimizer = torch.optim.AdamW(net.parameters(), lr=plan.rate, weight_decay=plan.decay, betas=(0.9, 0.98))
    rng, began, step, tokens, share, recent = random.Random(plan.seed), time.monotonic(), 0, 0, 0.0, list[float]()
    told = 0
    yield {"step": 0, "tokens": 0, "held back": tested(net, rows, plan.tokens)}
    while share < 1:
        for batch in batches(rows, plan, rng):
            for group in optimizer.param_groups:
                group["lr"] = plan.rate * min(1.0, (step + 1) / plan.warm_steps) * max(plan.floor, 1 - share)
            loss = losses(net, batch).mean()
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            recent.append(loss.item())
            step, tokens, share = step + 1, tokens + sum(map(len, batch)), (time.monotonic() - began) / 60 / plan.minutes
            if int(share * plan.tested) > told and share < 1:
                told = int(share * plan.tested)
                yield {
                    "step": step,
                    "tokens": tokens,
                    "loss": round(float(np.mean(recent[-50:])), 4),
                    "held back": tested(net, rows, plan.tokens),
                }
            if share >= 1:
                break
    yield {"step": step, "tokens": tokens, "loss": round(float(np.mean(recent[-50:])), 4), "held back": tested(net, rows, plan.tokens)}


def main() -> None:
    parser = argparse.ArgumentParser(description="Trains npc-speak's adapters on a GPU.")
    parser.add_argument("--minutes", type=float, default=4)
    parser.add_argument("--from", dest="file", type=Path, help="adapter file to start from")
    parser.add_argument("--base", type=Path, default=FOLDER / "checkpoints", help="folder of the base")
    parser.add_argument("--rows", type=Path, default=FOLDER / "checkpoints" / "rows.npz", help="what models.speak.prepare wrote")
    parser.add_argument("--out", type=Path, default=FOLDER / "checkpoints" / "npc-speak.lora.gguf")
    parser.add_argument("--rate", type=float, default=Plan.rate)
    parser.add_argument("--tokens", type=int, default=Plan.tokens, help="tokens of a step, at most")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    it = parser.parse_args()
    plan = Plan(it.minutes, it.rate, tokens=it.tokens)
    torch.manual_seed(plan.seed)
    fields, tensors = base.read_file(it.base / base.FILE)
    dtype = torch.bfloat16 if it.device == "cuda" else torch.float32
    net = BatchNetwork(base.shape_of(fields), tensors, plan.rank, plan.alpha, plan.dropped, dtype).to(it.device)
    state = adapter_file.read_into(it.file, net) if it.file else {}
    done = int(state.get("tokens", 0))
    for told in train(net, packed.read(it.rows), plan):
        print(json.dumps(told), flush=True)
        adapter_file.write(it.out, net, {**state, "tokens": done + int(str(told["tokens"]))})


if __name__ == "__main__":
    main()
