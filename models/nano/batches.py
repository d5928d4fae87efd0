"""Batches for training, each of samples of about the same length."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from tokenizers import Tokenizer

from models.nano import tokenizer as tokens
from models.nano.draw import Split
from models.nano.mixture import samples
from models.nano.render import Sample

_END = tokens.MARKS.index(tokens.END)

AT_ONCE = 32
"""Samples that are encoded at once."""
LENGTHS = (192, 256, 320, 384, 448, 512, 640, 768, 1024, 1280, 1536)
"""Lengths in tokens to which samples are padded. There are few, since oneDNN keeps memory for each. Longer samples are left out."""
WAITING = 64
"""Batches that other processes may make in advance."""
Batch = tuple[list[list[int]], list[list[float]], int]
"""Rows of tokens, rows of their weights in the loss, and the number of samples used so far."""


def batches_of(tokenizer: Tokenizer, seed: int, size: int, prompt_weight: float, start: int, each: int = 1) -> Iterator[Batch]:
    """Batches of at most `size` tokens, from every `each`-th sample after sample `start`.

    A row is one sample. Rows packed with several samples need masks between them: a third of the tokens taught nothing, and attention
    cost three times as much.
    """
    used = start
    waiting: dict[int, tuple[list[list[int]], list[list[float]]]] = {}
    for batch in _in_groups(samples(seed, Split.TRAIN, start=start, each=each)):
        for item in tokens.encode(tokenizer, batch, prompt_weight):
            used += each
            length = next((length for length in LENGTHS if len(item.ids) <= length + 1), 0)
            if not length:
                continue
            ids, weights = waiting.setdefault(length, ([], []))
            empty = length + 1 - len(item.ids)
            ids.append(item.ids + [_END] * empty)
            weights.append(item.weights + [0.0] * empty)
            if (len(ids) + 1) * length > size:
                yield ids, weights, used
                del waiting[length]


def _in_groups(stream: Iterator[Sample]) -> Iterator[list[Sample]]:
    while group := list(islice(stream, AT_ONCE)):
        yield group


@contextmanager
def batch_stream(vocabulary: Path, seed: int, size: int, prompt_weight: float, start: int, workers: int) -> Iterator[Iterator[Batch]]:
    """Batches made in this process, or by `workers` others. A GPU trains faster than one process can write text."""
    if workers <= 0:
        yield batches_of(Tokenizer.from_file(str(vocabulary)), seed, size, prompt_weight, start)
        return
    context = multiprocessing.get_context("spawn")
    ready: multiprocessing.Queue[Batch] = context.Queue(WAITING)
    processes = [
        context.Process(target=_work, args=(ready, vocabulary, seed, size, prompt_weight, start + i, workers), daemon=True)
        for i in range(workers)
    ]
    for process in processes:
        process.start()
    try:
        yield iter(ready.get, None)
    finally:
        for process in processes:
            process.terminate()


def _work(ready: multiprocessing.Queue[Batch], vocabulary: Path, seed: int, size: int, prompt_weight: float, start: int, each: int) -> None:
    for batch in batches_of(Tokenizer.from_file(str(vocabulary)), seed, size, prompt_weight, start, each):
        ready.put(batch)
