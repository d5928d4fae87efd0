"""Training: `python -m models.nano.train --minutes 90`. Continues from a checkpoint, which `models.nano.base` makes.

A row is a sample. The loss is on replies, and a little on prompts, so that the words of prompts are learned, too.
"""

# ruff: noqa: T201
from __future__ import annotations

import argparse
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor

from models.nano import tokenizer as tokens
from models.nano.batches import Batch, batch_stream
from models.nano.checkpoint import FOLDER, load, make_new, optimizer_of, save, set_rate
from models.nano.export import export_all
from models.nano.malloc import keep_freed_memory
from models.nano.network import Network
from models.nano.quantization import quantized
from models.nano.restore import restore
from models.nano.threads import Threads

ROUND = 512
"""The number of positions whose loss is computed is a multiple of this."""


@dataclass(frozen=True)
class Plan:
    """Hyperparameters of one run. With the machine's speed they determine the result."""

    minutes: float
    rate: float = 6e-4
    floor: float = 0.05
    """Share of the learning rate that is left at the end of its decay."""
    fall: float = 0.0
    """Share of the run in which the learning rate decays; 0 for none, when training continues later."""
    tokens: int = 4096
    """Tokens of a step, padding included."""
    parts: int = 2
    """Batches of a step, each with rows of one length."""
    seed: int = 7
    warm_steps: int = 60
    prompt_weight: float = 0.02
    prompt_share: float = 0.1
    """Share of a prompt's tokens whose loss is computed."""
    rounded: bool = False
    """Whether to compute with matrices quantized to Q4_0."""
    save_every_s: float = 240.0
    log_every: int = 20


def rate_at(plan: Plan, step: int, share: float) -> float:
    warm = min(1.0, (step + 1) / plan.warm_steps)
    if plan.fall <= 0 or share < 1 - plan.fall:
        return plan.rate * warm
    down = (share - (1 - plan.fall)) / plan.fall
    return plan.rate * warm * (plan.floor + (1 - plan.floor) * 0.5 * (1 + math.cos(math.pi * min(1.0, down))))


def loss_of(network: Network, x: Tensor, y: Tensor, w: Tensor, plan: Plan) -> tuple[Tensor, Tensor, Tensor]:
    """The sum of the weighted losses, and for the log each loss and its weight.

    `x`, `y` and `w` are batch × length: tokens, next tokens and their weights. Only a share of the prompt's losses is computed.
    """
    flat = w.reshape(-1)
    wanted = (flat >= tokens.REPLY) | ((flat > 0) & (torch.rand_like(flat) < plan.prompt_share))
    at, fresh = _filled(wanted.nonzero().squeeze(1))
    with torch.autocast(x.device.type, dtype=torch.bfloat16):
        logits = network.logits(network.hidden(x, at))
    losses = F.cross_entropy(logits.float(), y.reshape(-1)[at], reduction="none")
    # A prompt token whose loss is computed stands for those whose loss is not.
    weights = torch.where(flat[at] >= tokens.REPLY, flat[at], flat[at] / plan.prompt_share)
    return (losses * weights)[:fresh].sum(), losses[:fresh].detach(), flat[at[:fresh]]


def _filled(at: Tensor) -> tuple[Tensor, int]:
    """Positions padded to a multiple of `ROUND`, and their number before. oneDNN keeps memory for every shape that it sees."""
    short = -len(at) % ROUND
    return (torch.cat([at, at[:1].expand(short)]) if len(at) else at), len(at)


@dataclass
class Log:
    """Mean losses since the last line of the log, by part."""

    losses: dict[str, list[float]] = field(default_factory=dict)
    tokens: float = 0.0
    since: float = field(default_factory=time.monotonic)

    def take(self, losses: Tensor, of: Tensor) -> None:
        for name, chosen in (
            ("asked", of == tokens.ASKED),
            ("reply", of == tokens.REPLY),
            ("prompt", of < tokens.REPLY),
        ):
            if chosen.any():
                self.losses.setdefault(name, []).append(float(losses[chosen].mean()))

    def line(self, state: dict[str, float]) -> str:
        shown = " ".join(f"{name} {sum(values) / len(values):.3f}" for name, values in self.losses.items())
        speed = self.tokens / (time.monotonic() - self.since)
        self.losses, self.tokens, self.since = {}, 0.0, time.monotonic()
        spent = f"{speed:.0f} tokens/s on {torch.get_num_threads()} threads, {state['seconds'] / 60:.1f} min"
        return f"step {state['step']:.0f} tokens {state['tokens'] / 1e6:.2f}M {shown} {spent}"


def start_from(file: Path, folder: Path) -> None:
    """Makes a checkpoint from a GGUF file. Raises FileExistsError if the folder has one."""
    make_new(folder)
    network, words, state = restore(file)
    words.save(str(folder / "tokenizer.json"))
    save(folder / "checkpoint.pt", network, None, state)


def train(plan: Plan, folder: Path, threads: int = 1, device: str = "cpu", workers: int = 0, compiled: bool = True) -> None:
    """Trains from the folder's checkpoint, until the minutes are over or the folder has a file `stop`.

    Raises FileNotFoundError if there is no checkpoint.
    """
    keep_freed_memory()
    path, stop = folder / "checkpoint.pt", folder / "stop"
    network, optimizer, state = _going_on(plan, path, device, compiled)
    print(f"{network.millions:.2f} M parameters, {network.shape.vocabulary} words; goes on at {state}", flush=True)
    torch.manual_seed(plan.seed + int(state["step"]))
    using, log = Threads(threads), Log()
    begun = saved = last = time.monotonic()
    before = state["seconds"]
    with batch_stream(
        folder / "tokenizer.json", plan.seed, plan.tokens // plan.parts, plan.prompt_weight, int(state["samples"]), workers
    ) as drawn:
        while (elapsed := time.monotonic() - begun) < plan.minutes * 60 and not stop.exists():
            using.next(time.monotonic() - last)
            last = time.monotonic()
            batches = list(islice(drawn, plan.parts))
            seen = _backward(plan, network, batches, device, log)
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            set_rate(optimizer, rate_at(plan, int(state["step"]), elapsed / (plan.minutes * 60)))
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            state["step"] += 1
            state["tokens"] += seen
            state["samples"] = max(state["samples"], *(used for _, _, used in batches))
            state["seconds"] = before + time.monotonic() - begun
            if state["step"] % plan.log_every == 0:
                print(log.line(state), flush=True)
            if time.monotonic() - saved > plan.save_every_s:
                save(path, network, optimizer, state)
                saved = time.monotonic()
    save(path, network, optimizer, state)
    stop.unlink(missing_ok=True)
    print(f"stopped at {state}", flush=True)


def _going_on(plan: Plan, path: Path, device: str, compiled: bool) -> tuple[Network, torch.optim.AdamW, dict[str, float]]:
    """The network, its optimizer and the progress of training, from a checkpoint. Raises FileNotFoundError."""
    if not path.is_file():
        raise FileNotFoundError(f"{path.parent} has no checkpoint: run `python -m models.nano.base`, or begin with a file: --from FILE")
    network, kept = load(path)
    network.to(device)
    if compiled:
        for block in network.blocks:
            block.compile(dynamic=True)  # all blocks are one program
    optimizer = optimizer_of(network, plan.rate)
    if kept["optimizer"] is not None:
        optimizer.load_state_dict(kept["optimizer"])
    return network, optimizer, dict(kept["state"])


def _backward(plan: Plan, network: Network, batches: Sequence[Batch], device: str, log: Log) -> int:
    """Computes the gradients of a step. Returns its number of tokens, padding included."""
    parts = [(torch.tensor(ids, device=device), torch.tensor(weights, device=device)) for ids, weights, _ in batches]
    counted = sum(float(weights[:, 1:].sum()) for _, weights in parts)
    with quantized(network, plan.rounded):
        for ids, weights in parts:
            loss, losses, of = loss_of(network, ids[:, :-1], ids[:, 1:], weights[:, 1:], plan)
            (loss / counted).backward()
            log.take(losses, of)
    seen = sum(ids[:, 1:].numel() for ids, _ in parts)
    log.tokens += seen
    return seen


def main() -> None:
    parser = argparse.ArgumentParser(description="Trains npc-nano, or goes on training it.")
    parser.add_argument("--minutes", type=float, required=True, help="wall minutes; a file `stop` in the folder ends it earlier")
    parser.add_argument("--from", dest="file", type=Path, help="GGUF file of npc-nano to start from, in place of a checkpoint")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where checkpoint and tokenizer are")
    parser.add_argument("--tokens", type=int, default=Plan.tokens, help="tokens of a step")
    parser.add_argument("--rate", type=float, default=Plan.rate, help="learning rate")
    parser.add_argument("--fall", type=float, default=Plan.fall, help="share of this run in which the learning rate decays; 0 for none")
    parser.add_argument("--rounded", action="store_true", help="train with weights quantized to four bits, as in the file that ships")
    parser.add_argument("--threads", type=int, default=0, help="0 tries from time to time which number is fastest")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--workers", type=int, default=0, help="processes that write the text, for a GPU that is faster than one")
    parser.add_argument(
        "--plain", action="store_true", help="without torch.compile, which needs a minute at the start and is a third faster"
    )
    parser.add_argument("--seed", type=int, default=Plan.seed)
    args = parser.parse_args()
    plan = Plan(args.minutes, args.rate, fall=args.fall, tokens=args.tokens, seed=args.seed, rounded=args.rounded)
    if args.file is not None:
        start_from(args.file, args.folder)
    train(plan, args.folder, args.threads, args.device, args.workers, not args.plain)
    export_all(args.folder)


if __name__ == "__main__":
    main()
