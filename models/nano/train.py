"""Training: `python -m models.nano.train --minutes 90`. Goes on from its checkpoint; makes the tokenizer at first.

Rows are packed with samples; the loss is on the replies, and a little on prompts, so that the words of prompts are learned, too.
"""

# ruff: noqa: T201
from __future__ import annotations

import argparse
import math
import os
import random
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from torch import Tensor

from models.nano import tokenizer as tokens
from models.nano.draw import Split
from models.nano.mixture import samples
from models.nano.network import Network, Shape

FOLDER = Path(__file__).parent / "checkpoints"
DRILL_WEIGHT = 0.5
SPAN = 4
"""Samples in a bunch that is encoded together are this many rows' worth."""


@dataclass(frozen=True)
class Plan:
    """One stretch of training. Everything that the result depends on, but the machine's speed."""

    minutes: float
    rate: float = 1.5e-3
    floor: float = 0.05
    """Share of the rate that is left at the end of a falling stretch."""
    fall: float = 0.0
    """Share of the stretch in which the rate falls; 0 keeps it, for training that goes on later."""
    rows: int = 4
    length: int = 1024
    seed: int = 7
    warm_steps: int = 150
    drill_tokens: float = 6e6
    """Tokens after which drills have become few."""
    drill_least: float = 0.04
    prompt_weight: float = 0.1
    prompt_share: float = 0.15
    """Share of a prompt's tokens whose loss is computed at all."""
    save_every_s: float = 240.0


def drills(plan: Plan, seen: int) -> float:
    """Share of rows that are copying drills: half at first."""
    return max(plan.drill_least, 0.6 * (1 - seen / plan.drill_tokens))


def rows_of(plan: Plan, tokenizer: Tokenizer, start: int) -> Iterator[tuple[list[int], list[float], int]]:
    """Packed rows of `length + 1` tokens, with the number of samples used up to them."""
    stream = samples(plan.seed, Split.TRAIN, start=start)
    used = start
    ids: list[int] = []
    weights: list[float] = []
    while True:
        for item in tokens.encode(tokenizer, list(islice(stream, 32)), plan.prompt_weight):
            used += 1
            if len(item.ids) > plan.length + 1:
                continue
            # A sample that does not fit is not torn: the rest of the row is the start of it, of which no reply is cut in half.
            room = plan.length + 1 - len(ids)
            if len(item.ids) > room:
                yield ids + item.ids[:room], weights + [w if w < 1 else 0.0 for w in item.weights[:room]], used
                ids, weights = [], []
            ids += item.ids
            weights += item.weights


def drill(plan: Plan, vocabulary: int, rng: random.Random) -> tuple[list[int], list[float]]:
    """A random stretch, again and again: nothing helps here but copying."""
    size = rng.randint(6, 200)
    stretch = [rng.randrange(len(tokens.MARKS), vocabulary) for _ in range(size)]
    whole = (stretch * (plan.length // size + 2))[: plan.length + 1]
    return whole, [0.0 if i <= size else DRILL_WEIGHT for i in range(len(whole))]


def rate_at(plan: Plan, step: int, share: float) -> float:
    warm = min(1.0, (step + 1) / plan.warm_steps)
    if plan.fall <= 0 or share < 1 - plan.fall:
        return plan.rate * warm
    down = (share - (1 - plan.fall)) / plan.fall
    return plan.rate * warm * (plan.floor + (1 - plan.floor) * 0.5 * (1 + math.cos(math.pi * min(1.0, down))))


@dataclass(frozen=True)
class Optimizers:
    """Muon for the layers' matrices, which learns more from the same tokens; AdamW for the embedding, norms and biases."""

    matrices: torch.optim.Muon
    rest: torch.optim.AdamW

    def step(self, rate: float) -> None:
        for optimizer in (self.matrices, self.rest):
            for group in optimizer.param_groups:
                group["lr"] = rate
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)


def optimizers_of(network: Network, rate: float) -> Optimizers:
    matrices = [p for name, p in network.named_parameters() if p.ndim > 1 and name.startswith("blocks.")]
    narrow = [p for p in network.parameters() if p.ndim <= 1]
    rest = [{"params": [network.embedding.weight], "weight_decay": 0.1}, {"params": narrow, "weight_decay": 0.0}]
    return Optimizers(
        torch.optim.Muon(matrices, lr=rate, weight_decay=0.1, adjust_lr_fn="match_rms_adamw"),
        torch.optim.AdamW(rest, lr=rate, betas=(0.9, 0.95), fused=True),
    )


def save(path: Path, network: Network, optimizers: Optimizers, state: dict[str, float]) -> None:
    part = path.with_suffix(".part")
    kept = {"matrices": optimizers.matrices.state_dict(), "rest": optimizers.rest.state_dict()}
    torch.save({"shape": asdict(network.shape), "weights": network.state_dict(), "optimizers": kept, "state": state}, part)
    part.replace(path)


def load(path: Path) -> tuple[Network, dict[str, Any]]:
    kept = torch.load(path, map_location="cpu", weights_only=True)
    network = Network(Shape(**kept["shape"]))
    network.load_state_dict(kept["weights"])
    return network, kept


def vocabulary(folder: Path) -> Tokenizer:
    path = folder / "tokenizer.json"
    if not path.is_file():
        tokens.learn().save(str(path))
    return Tokenizer.from_file(str(path))


def loss_of(network: Network, x: Tensor, y: Tensor, w: Tensor, plan: Plan) -> tuple[Tensor, Tensor, Tensor]:
    """Weighted loss; and the losses with their weights, for the log. Of prompts only a share is computed."""
    flat = w.reshape(-1)
    wanted = (flat >= DRILL_WEIGHT) | ((flat > 0) & (torch.rand_like(flat) < plan.prompt_share))
    at = wanted.nonzero().squeeze(1)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        hidden = network.hidden(x).reshape(-1, network.shape.width)[at]
        logits = network.logits(hidden)
    losses = F.cross_entropy(logits.float(), y.reshape(-1)[at], reduction="none")
    # A prompt token that is computed stands for those that are not.
    weights = torch.where(flat[at] >= DRILL_WEIGHT, flat[at], flat[at] / plan.prompt_share)
    return (losses * weights).sum() / weights.sum(), losses.detach(), flat[at]


class Threads:
    """How many threads to compute with: a fixed number, or (0) whichever is faster just now, since other work may share the machine."""

    TRY_EVERY, TRY_FOR = 120, 3

    def __init__(self, wanted: int) -> None:
        self.wanted, self.steps = wanted, 0
        self.counts = sorted({1, os.cpu_count() or 1})
        self.seconds: dict[int, list[float]] = {}
        torch.set_num_threads(wanted or 1)

    def next(self, last_s: float) -> None:
        """To be called before each step with the seconds of the one before."""
        if self.wanted:
            return
        at = self.steps % self.TRY_EVERY
        tried, place = divmod(at, self.TRY_FOR)
        if 0 < at <= self.TRY_FOR * len(self.counts) and (at - 1) % self.TRY_FOR:  # the first of each is not counted
            self.seconds.setdefault(self.counts[(at - 1) // self.TRY_FOR], []).append(last_s)
        if place == 0 and tried < len(self.counts):
            if tried == 0:
                self.seconds.clear()
            torch.set_num_threads(self.counts[tried])
        elif at == self.TRY_FOR * len(self.counts):
            torch.set_num_threads(min(self.seconds, key=lambda count: sum(self.seconds[count])) if self.seconds else 1)
        self.steps += 1


def train(plan: Plan, shape: Shape, folder: Path, threads: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = vocabulary(folder)
    path = folder / "checkpoint.pt"
    torch.manual_seed(plan.seed)
    state: dict[str, float] = {"step": 0, "tokens": 0, "samples": 0, "seconds": 0}
    if path.is_file():
        network, kept = load(path)
        optimizers = optimizers_of(network, plan.rate)
        optimizers.matrices.load_state_dict(kept["optimizers"]["matrices"])
        optimizers.rest.load_state_dict(kept["optimizers"]["rest"])
        state = dict(kept["state"])
    else:
        network = Network(shape)
        optimizers = optimizers_of(network, plan.rate)
    print(
        f"{sum(p.numel() for p in network.parameters()) / 1e6:.2f} M parameters, {tokenizer.get_vocab_size()} words; goes on at {state}",
        flush=True,
    )
    rng = random.Random(f"{plan.seed}/{state['step']}")
    torch.manual_seed(plan.seed + int(state["step"]))
    rows = rows_of(plan, tokenizer, int(state["samples"]))
    stop = folder / "stop"
    using, last = Threads(threads), 0.0
    begun = saved = time.monotonic()
    seconds, first_tokens, log_from = state["seconds"], state["tokens"], time.monotonic()
    logged: dict[str, list[float]] = {"reply": [], "prompt": [], "drill": []}
    while (elapsed := time.monotonic() - begun) < plan.minutes * 60 and not stop.exists():
        using.next(time.monotonic() - last)
        last = time.monotonic()
        ids, weights = [], []
        for _ in range(plan.rows):
            if rng.random() < drills(plan, int(state["tokens"])):
                row, weight = drill(plan, shape.vocabulary, rng)
            else:
                row, weight, state["samples"] = next(rows)
            ids.append(row)
            weights.append(weight)
        batch, weighed = torch.tensor(ids), torch.tensor(weights)
        loss, losses, of = loss_of(network, batch[:, :-1], batch[:, 1:], weighed[:, 1:], plan)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizers.step(rate_at(plan, int(state["step"]), elapsed / (plan.minutes * 60)))
        state["step"] += 1
        state["tokens"] += plan.rows * plan.length
        state["seconds"] = seconds + time.monotonic() - begun
        for name, chosen in (("reply", of == 1.0), ("drill", of == DRILL_WEIGHT), ("prompt", of < DRILL_WEIGHT)):
            if chosen.any():
                logged[name].append(float(losses[chosen].mean()))
        if state["step"] % 50 == 0:
            shown = " ".join(f"{name} {sum(values) / len(values):.3f}" for name, values in logged.items() if values)
            speed = (state["tokens"] - first_tokens) / (time.monotonic() - log_from)
            spent = f"{speed:.0f} tokens/s on {torch.get_num_threads()} {state['seconds'] / 60:.1f} min"
            print(f"step {state['step']:.0f} tokens {state['tokens'] / 1e6:.2f}M {shown} {spent}", flush=True)
            logged = {name: [] for name in logged}
            first_tokens, log_from = state["tokens"], time.monotonic()
        if time.monotonic() - saved > plan.save_every_s:
            save(path, network, optimizers, state)
            saved = time.monotonic()
    save(path, network, optimizers, state)
    stop.unlink(missing_ok=True)
    print(f"stopped at {state}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Trains npc-nano, or goes on training it.")
    parser.add_argument("--minutes", type=float, required=True, help="wall minutes; a file called stop in the folder ends it earlier")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where checkpoint and tokenizer are")
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--heads", type=int, default=8)
    parser.add_argument("--hidden", type=int, default=704)
    parser.add_argument("--rows", type=int, default=4, help="packed rows in a step")
    parser.add_argument("--rate", type=float, default=1.5e-3, help="learning rate")
    parser.add_argument("--fall", type=float, default=0.0, help="share of this stretch in which the rate falls; 0 keeps it")
    parser.add_argument("--threads", type=int, default=0, help="0 tries now and then which number is fastest")
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args()
    shape = Shape(width=args.width, layers=args.layers, heads=args.heads, hidden=args.hidden)
    train(Plan(args.minutes, args.rate, fall=args.fall, rows=args.rows, seed=args.seed), shape, args.folder, args.threads)


if __name__ == "__main__":
    main()
