"""How well a network reads: `python -m models.nano.reading [FILE]`. Lookups answered greedily, with PyTorch alone.

A figure for whoever trains: it is there from the first minutes on, when no prompt of the server is answered yet.
"""

# ruff: noqa: T201
from __future__ import annotations

import argparse
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import torch
from tokenizers import Tokenizer

from models.nano import tokenizer as tokens
from models.nano.checkpoint import FOLDER, load
from models.nano.draw import Split
from models.nano.mixture import samples
from models.nano.network import Network
from models.nano.render import Sample
from models.nano.restore import restore

SEED = 2024
LONGEST = 40
"""Tokens of an answer."""


@dataclass(frozen=True)
class Answered:
    question: str
    answer: str
    wanted: str
    """What the answer should hold; empty where it cannot be known."""

    @property
    def right(self) -> bool:
        return self.wanted.lower() in self.answer.lower() if self.wanted else "know" in self.answer


def answer_all(network: Network, words: Tokenizer, sample: Sample) -> list[Answered]:
    """Each question of a sample, as if the ones before had been answered as they should."""
    system, user, assistant, end = (words.token_to_id(mark) for mark in tokens.MARKS)
    ids = [system, *words.encode(sample.system).ids]
    found: list[Answered] = []
    for turn in sample.turns:
        ids += [user, *words.encode(turn.user).ids, assistant]
        said = list(ids)
        with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
            while len(said) - len(ids) < LONGEST:
                chosen = int(network.logits(network.hidden(torch.tensor([said]))[:, -1:]).argmax())
                if chosen == end:
                    break
                said.append(chosen)
        found.append(Answered(turn.user.rsplit("\n", 1)[-1], words.decode(said[len(ids) :]), turn.expect[0] if turn.expect else ""))
        ids += [*words.encode(turn.reply).ids, end]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="Asks npc-nano what memories say.")
    parser.add_argument("file", type=Path, nargs="?", help="GGUF file; the checkpoint when left out")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where checkpoint and tokenizer are")
    parser.add_argument("--samples", type=int, default=30, help="prompts, each with up to ten questions")
    parser.add_argument("--show", type=int, default=0, help="prints so many answers")
    args = parser.parse_args()
    if args.file is not None:
        network, words, _ = restore(args.file)
    else:
        network, words = load(args.folder / "checkpoint.pt")[0], Tokenizer.from_file(str(args.folder / "tokenizer.json"))
    for split in (Split.TRAIN, Split.HELD_OUT):
        # Numbers that no training has come to.
        asked = islice(samples(SEED, split, {"lookup": 1.0}, start=10**8), args.samples)
        answers = [answer for sample in asked for answer in answer_all(network, words, sample)]
        for title, known in (("the memories say it", True), ("they do not", False)):
            rights = [answer.right for answer in answers if bool(answer.wanted) is known]
            print(f"{split.value}, {title}: {sum(rights)} of {len(rights)} right ({sum(rights) / max(len(rights), 1):.2f})")
        for answer in answers[: args.show]:
            print(f"  {'+' if answer.right else '-'} {answer.question} -> {answer.answer} [{answer.wanted}]")


if __name__ == "__main__":
    main()
