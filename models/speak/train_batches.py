"""Trains npc-speak's adapters on a GPU, many rows at once: `python -m models.speak.train_batches --minutes 4`.

The rows are those that `prepare.py` wrote. The loss is on answers alone, as in `train.py`.
"""

# ruff: noqa: T201
from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from models.speak import adapter_file, base, packed
from models.speak.batch_network import BatchNetwork
from models.speak.packed import HELD, PackedRow, by_length
from models.speak.steps import Plan, Rows, steps

FOLDER = Path(__file__).parent
SHARES: Mapping[str, float] = {"talks": 1.0, "meetings": 1.0, "days": 0.6, "reactions": 1.0, "summaries": 1.0, "reflections": 0.6}
"""How often a row of each kind comes in a pass."""

RANK, ALPHA, RATE, WARM_STEPS, SEED = 32, 64.0, 6e-4, 40, 7
TESTED = 5
"""How often what is held back is tested."""


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
    yield {"step": 0, "tokens": 0, "held back": tested(net, rows, plan.tokens)}
    told = 0
    for step in steps(net, rows, SHARES, plan, lambda batch: losses(net, batch).mean()):
        if step.share >= 1 or int(step.share * TESTED) > told:
            told = int(step.share * TESTED)
            held = tested(net, rows, plan.tokens)
            yield {"step": step.number, "tokens": step.tokens, "loss": round(step.loss, 4), "held back": held}


def main() -> None:
    parser = argparse.ArgumentParser(description="Trains npc-speak's adapters on a GPU.")
    parser.add_argument("--minutes", type=float, default=4)
    parser.add_argument("--from", dest="file", type=Path, help="adapter file to start from")
    parser.add_argument("--base", type=Path, default=FOLDER / "checkpoints", help="folder of the base")
    parser.add_argument("--rows", type=Path, default=FOLDER / "checkpoints" / "rows.npz", help="what models.speak.prepare wrote")
    parser.add_argument("--out", type=Path, default=FOLDER / "checkpoints" / "npc-speak.lora.gguf")
    parser.add_argument("--rate", type=float, default=RATE)
    parser.add_argument("--tokens", type=int, default=Plan.tokens, help="tokens of a step, at most")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    it = parser.parse_args()
    plan = Plan(it.minutes, it.rate, RANK, ALPHA, it.tokens, warm_steps=WARM_STEPS, seed=SEED)
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
