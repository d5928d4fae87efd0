"""Rows for training: samples packed one after the other, and copying drills between them."""

from __future__ import annotations

import multiprocessing
import random
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from tokenizers import Tokenizer

from models.nano import tokenizer as tokens
from models.nano.draw import Split
from models.nano.mixture import samples

DRILL_WEIGHT = 0.5
"""How much a drill's tokens count; a reply's count 1."""
LONGEST_STRETCH = 80
AT_ONCE = 32
"""Samples that are encoded together."""
WAITING = 256
"""Rows that other processes may have ready."""
Row = tuple[list[int], list[float], int]
"""Tokens, how much each counts, and the number of samples used up to them."""


def rows_of(tokenizer: Tokenizer, seed: int, length: int, prompt_weight: float, start: int, each: int = 1) -> Iterator[Row]:
    """Packed rows of `length + 1` tokens, from sample `start` on, every `each`-th of them."""
    used = start
    ids: list[int] = []
    weights: list[float] = []
    stream = samples(seed, Split.TRAIN, start=start, each=each, school=True)
    while True:
        for item in tokens.encode(tokenizer, list(islice(stream, AT_ONCE)), prompt_weight):
            used += each
            if len(item.ids) > length + 1:
                continue
            # A sample that does not fit is not torn: the rest of the row is the start of it, of which no reply is cut in half.
            room = length + 1 - len(ids)
            if len(item.ids) > room:
                yield ids + item.ids[:room], weights + [w if w < 1 else 0.0 for w in item.weights[:room]], used
                ids, weights = [], []
            ids += item.ids
            weights += item.weights


@contextmanager
def feed(vocabulary: Path, seed: int, length: int, prompt_weight: float, start: int, workers: int) -> Iterator[Iterator[Row]]:
    """Rows made in this process, or by `workers` others: a fast machine trains faster than one process can write."""
    if workers <= 0:
        yield rows_of(Tokenizer.from_file(str(vocabulary)), seed, length, prompt_weight, start)
        return
    context = multiprocessing.get_context("spawn")
    ready: multiprocessing.Queue[Row] = context.Queue(WAITING)
    processes = [
        context.Process(target=_work, args=(ready, vocabulary, seed, length, prompt_weight, start + i, workers), daemon=True)
        for i in range(workers)
    ]
    for process in processes:
        process.start()
    try:
        yield iter(ready.get, None)
    finally:
        for process in processes:
            process.terminate()


def _work(ready: multiprocessing.Queue[Row], vocabulary: Path, seed: int, length: int, prompt_weight: float, start: int, each: int) -> None:
    for row in rows_of(Tokenizer.from_file(str(vocabulary)), seed, length, prompt_weight, start, each):
        ready.put(row)


def drill(length: int, vocabulary: int, rng: random.Random) -> tuple[list[int], list[float]]:
    """A random stretch, again and again: nothing helps here but copying."""
    size = rng.randint(6, LONGEST_STRETCH)
    stretch = [rng.randrange(len(tokens.MARKS), vocabulary) for _ in range(size)]
    whole = (stretch * (length // size + 2))[: length + 1]
    return whole, [0.0 if i <= size else DRILL_WEIGHT for i in range(len(whole))]
