"""Trains npc-speak's adapters: `python -m models.speak.train --minutes 90`. Goes on where the last run ended.

The loss is on answers alone. An example is a row of tokens in which prompts share their beginning (`tree.py`). Each worker computes the
gradients of its own rows, with one thread: other work on the machine then costs less than with threads that wait for each other.
"""

# ruff: noqa: T201
from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from models.speak import adapter_file, base
from models.speak.malloc import keep_freed_memory
from models.speak.network import Network
from models.speak.rows import SHARES, Drawn, places, rows_of
from models.speak.tree import Row

FOLDER = Path(__file__).parent / "checkpoints"
CHECKPOINT, ADAPTER, LOG = "checkpoint.pt", "npc-speak.lora.gguf", "log.jsonl"


@dataclass(frozen=True)
class Plan:
    """What a run does. With the machine's speed this determines the result."""

    minutes: float
    rate: float = 5e-4
    fall: float = 0.3
    """Share of the run, at its end, in which the learning rate falls."""
    floor: float = 0.05
    """Share of the rate that is left at the end."""
    rows: int = 2
    """Rows of a step."""
    rank: int = 32
    alpha: float = 64.0
    seed: int = 7
    warm_steps: int = 20
    decay: float = 0.01
    tested: int = 4
    """Examples of each kind on which the loss is tested; of talks twice as many."""
    save_every_s: float = 300.0
    log_every: int = 10


def rate_at(plan: Plan, step: int, share: float) -> float:
    """The learning rate of a run's step, after a share of its time."""
    warm = min(1.0, (step + 1) / plan.warm_steps)
    left = min(1.0, (1 - share) / plan.fall) if plan.fall > 0 else 1.0
    return plan.rate * warm * (plan.floor + (1 - plan.floor) * max(0.0, left))


def loss_of(network: Network, row: Row, device: str) -> Tensor:
    """The sum of the losses of a row's answers."""
    ids, at, sees, asked, answers = (torch.tensor(it, device=device) for it in (row.ids, row.at, row.sees, row.asked, row.answers))
    return F.cross_entropy(network(ids, at, sees, asked), answers, reduction="sum")


def gradients(network: Network, rows: Sequence[Row], device: str, pool: ThreadPoolExecutor) -> float:
    """Sets the gradients of the mean loss of all answers' tokens, and returns that loss."""
    parameters = list(network.parameters())
    count = sum(len(row.answers) for row in rows)

    def of(row: Row) -> tuple[float, Sequence[Tensor]]:
        loss = loss_of(network, row, device) / count
        return loss.item(), torch.autograd.grad(loss, parameters)

    found = list(pool.map(of, rows))
    for parameter, parts in zip(parameters, zip(*(grads for _, grads in found), strict=True), strict=True):
        parameter.grad = torch.stack(parts).sum(0)
    return sum(loss for loss, _ in found)


def tested(network: Network, from_: base.Base, plan: Plan, device: str, pool: ThreadPoolExecutor) -> dict[str, float]:
    """The mean loss of a token of the answers that are held back, by kind."""
    found: dict[str, float] = {}
    with torch.no_grad():
        for kind in SHARES:
            held = places(kind, True, plan.seed)[: plan.tested * (2 if kind == "talks" else 1)]
            rows = [row for place in held for row in rows_of(from_, place)]
            losses = pool.map(lambda row: loss_of(network, row, device).item(), rows)
            found[kind] = round(sum(losses) / max(1, sum(len(row.answers) for row in rows)), 4)
    return found


@dataclass
class Training:
    """The state of a training that can go on later."""

    network: Network
    optimizer: torch.optim.AdamW
    state: dict[str, Any]

    def save(self, folder: Path) -> None:
        part = folder / f"{CHECKPOINT}.part"
        torch.save({"weights": self.network.state_dict(), "optimizer": self.optimizer.state_dict(), "state": self.state}, part)
        part.replace(folder / CHECKPOINT)
        adapter_file.write(folder / ADAPTER, self.network, self.state)


def begun(plan: Plan, from_: base.Base, folder: Path, file: Path | None, device: str) -> Training:
    """The training of a folder, or a new one; with `file`, one that begins with its adapters."""
    torch.manual_seed(plan.seed)
    network = Network(from_.shape, from_.tensors, plan.rank, plan.alpha).to(device)
    state: dict[str, Any] = {"step": 0, "tokens": 0, "seconds": 0.0, "used": {}}
    optimizer = torch.optim.AdamW(network.parameters(), lr=plan.rate, weight_decay=plan.decay, betas=(0.9, 0.98))
    if (folder / CHECKPOINT).is_file():
        kept = torch.load(folder / CHECKPOINT, map_location=device, weights_only=True)
        network.load_state_dict(kept["weights"])
        optimizer.load_state_dict(kept["optimizer"])
        state = kept["state"]
    elif file is not None:
        state |= adapter_file.read_into(file, network)
    return Training(network, optimizer, state)


def train(plan: Plan, from_: base.Base, folder: Path, file: Path | None, device: str, workers: int) -> None:
    """Trains until the minutes are over, or the folder has a file `stop`."""
    folder.mkdir(parents=True, exist_ok=True)
    training = begun(plan, from_, folder, file, device)
    state, stop = training.state, folder / "stop"
    torch.set_num_threads(1 if workers > 1 else torch.get_num_threads())
    drawn = Drawn(from_, plan.seed, state["used"])
    rows = iter(drawn)
    start = saved = time.monotonic()
    before, first, losses = state["seconds"], state["step"], list[float]()
    with ThreadPoolExecutor(workers) as pool:
        note(folder, state, {"held back": tested(training.network, from_, plan, device, pool)})
        while (elapsed := time.monotonic() - start) < plan.minutes * 60 and not stop.exists():
            batch = [row for _, row in islice(rows, plan.rows)]
            for group in training.optimizer.param_groups:
                group["lr"] = rate_at(plan, state["step"] - first, elapsed / (plan.minutes * 60))
            losses.append(gradients(training.network, sorted(batch, key=lambda row: -len(row.ids)), device, pool))
            torch.nn.utils.clip_grad_norm_(training.network.parameters(), 1.0)
            training.optimizer.step()
            state |= {"step": state["step"] + 1, "tokens": state["tokens"] + _tokens(batch), "used": dict(drawn.used)}
            state["seconds"] = before + time.monotonic() - start
            if state["step"] % plan.log_every == 0:
                note(folder, state, {"loss": round(sum(losses) / len(losses), 4)})
                losses.clear()
            if time.monotonic() - saved > plan.save_every_s:
                training.save(folder)
                saved = time.monotonic()
        training.save(folder)
        note(folder, state, {"held back": tested(training.network, from_, plan, device, pool)})
    stop.unlink(missing_ok=True)


def _tokens(rows: Iterable[Row]) -> int:
    return sum(len(row.ids) for row in rows)


def note(folder: Path, state: dict[str, Any], what: dict[str, object]) -> None:
    """Prints a line of progress, and appends it to the log."""
    line = {"step": state["step"], "tokens": state["tokens"], "minutes": round(state["seconds"] / 60, 1), **what}
    print(json.dumps(line), flush=True)
    with (folder / LOG).open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description="Trains npc-speak's adapters, or goes on training them.")
    parser.add_argument("--minutes", type=float, required=True, help="wall minutes; a file `stop` in the folder ends it earlier")
    parser.add_argument("--from", dest="file", type=Path, help="adapter file to start from, if the folder has no checkpoint")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the checkpoint, the adapters and the log are")
    parser.add_argument("--base", type=Path, default=FOLDER, help="folder of the base, which is fetched there if it is missing")
    parser.add_argument("--rate", type=float, default=Plan.rate, help="learning rate")
    parser.add_argument("--fall", type=float, default=Plan.fall, help="share of this run in which the learning rate falls; 0 for none")
    parser.add_argument("--rows", type=int, default=Plan.rows, help="rows of a step")
    parser.add_argument("--workers", type=int, default=2, help="rows that are computed at the same time, each with one thread")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    args = parser.parse_args()
    plan = Plan(args.minutes, args.rate, args.fall, rows=args.rows)
    workers = args.workers if args.device == "cpu" else 1
    train(plan, base.read(base.fetch(args.base)), args.folder, args.file, args.device, workers)


if __name__ == "__main__":
    keep_freed_memory()
    main()
