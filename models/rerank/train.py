"""Trains npc-rerank: `python -m models.rerank.train --minutes 6 --device cuda`, with the rows that `prepare.py` wrote.

It begins with the base, or with a former adapter. `losses.py` explains the loss.
"""

# ruff: noqa: T201
from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor

from models.rerank.losses import APART, SHARES, loss_of, told_apart
from models.training import adapter_file, packed
from models.training.base import read_file, shape_of
from models.training.batch_network import BatchNetwork
from models.training.packed import PackedRow
from models.training.steps import Plan, Rows, steps

FOLDER = Path(__file__).parent
NAME = "npc-rerank"
VERDICTS = ("Ġyes", "Ġno")
"""The words whose logits after a text are compared, as the vocabulary has them (`npc_server/llm/rerank_form.py`)."""


RANK, ALPHA, RATE, LOG_EVERY = 16, 32.0, 5e-4, 100


def odds_of(net: BatchNetwork, verdict: Tensor, batch: Sequence[PackedRow]) -> Tensor:
    """The log odds that each text of the rows answers."""
    found: Tensor = net(batch) @ verdict
    return found


def write(path: Path, net: BatchNetwork) -> None:
    with adapter_file.lora_writer(path, "llama", NAME, net.alpha) as writer:
        adapter_file.add_matrices(writer, net)


def verdict_of(words: Sequence[str], embedding: Tensor) -> Tensor:
    """What the last layer is multiplied with for the difference of the two logits."""
    yes, no = (words.index(word) for word in VERDICTS)
    return embedding[yes] - embedding[no]


def train(net: BatchNetwork, verdict: Tensor, rows: Rows, plan: Plan) -> None:
    """Trains until the minutes are over, and prints how well it tells apart what is held back."""
    for step in steps(net, rows, SHARES, plan, lambda batch: loss_of(odds_of(net, verdict, batch), batch, APART)):
        if step.number % LOG_EVERY == 0 or step.share >= 1:
            print(f"{step.number:5} {step.share:5.0%} {step.tokens / 1e6:.1f} million tokens, loss {step.loss:.3f}", flush=True)
    net.eval()
    print(json.dumps(told_apart(lambda batch: odds_of(net, verdict, batch), rows, plan.tokens)), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Trains npc-rerank.")
    parser.add_argument("--minutes", type=float, default=6)
    parser.add_argument("--from", dest="begin", type=Path, help="an adapter with which it begins")
    parser.add_argument("--base", type=Path, default=FOLDER.parent / "npc-rerank.gguf", help="the file of the model, which holds the base")
    parser.add_argument("--rows", type=Path, default=FOLDER / "checkpoints" / "rows.npz", help="what models.rerank.prepare wrote")
    parser.add_argument("--out", type=Path, default=FOLDER / "checkpoints" / "npc-rerank.lora.gguf")
    parser.add_argument("--rate", type=float, default=RATE)
    parser.add_argument("--dropped", type=float, default=Plan.dropped, help="share of the numbers that are left out in training")
    parser.add_argument("--seed", type=int, default=Plan.seed)
    parser.add_argument("--tokens", type=int, default=Plan.tokens, help="tokens of a step, at most")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    it = parser.parse_args()
    plan = Plan(it.minutes, it.rate, RANK, ALPHA, it.tokens, dropped=it.dropped, seed=it.seed)
    torch.manual_seed(plan.seed)
    fields, tensors = read_file(it.base)
    dtype = torch.bfloat16 if it.device == "cuda" else torch.float32
    net = BatchNetwork(shape_of(fields), tensors, plan.rank, plan.alpha, plan.dropped, dtype).to(it.device)
    if it.begin:
        try:
            adapter_file.read_into(it.begin, net)
        except ValueError as error:
            parser.error(str(error))
    verdict = verdict_of(fields["tokenizer.ggml.tokens"], tensors["token_embd.weight"]).to(it.device)
    train(net, verdict, packed.read(it.rows), plan)
    write(it.out, net)


if __name__ == "__main__":
    main()
