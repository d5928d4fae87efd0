"""Measures how llama.cpp's own settings change the cost of a token, while other requests have filled the context.

It counts processor time with one thread, because wall time also measures what else the machine does. The variants are measured by turns.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from npc_server.llm.llama import LlamaContext, LlamaModel, Rows, Shape, send_log

SEQUENCES, TOKENS = 16, 400
"""Requests whose tokens are in the context, and the tokens of each."""
CHUNK = 128
"""Tokens of a prompt in one decode."""
Q8_0 = 8
"""llama.cpp's number of the type."""


@dataclass(frozen=True)
class CacheVariant:
    name: str
    streams: bool
    change: Callable[[Any], None] = lambda params: None


@dataclass(frozen=True)
class LayoutRow:
    """Milliseconds of processor time, medians."""

    name: str
    one_reply: float
    """A token of one reply."""
    replies: float
    """A token of a reply, when all are decoded together."""
    prompt: float
    """A token of a prompt, decoded alone."""
    mixed: float
    """A decode of a part of a prompt together with a token of each reply, relative to the two apart."""
    four_at_once: float
    """A decode of four tokens of one reply, relative to one token. Guessing tokens in advance pays only if more are right."""
    copy_ms: float
    """A common beginning copied to another sequence."""


def _no_flash(params: Any) -> None:
    params.flash_attn_type = 0


def _eight_bits(params: Any) -> None:
    params.type_k = params.type_v = Q8_0


def _small_steps(params: Any) -> None:
    params.n_ubatch = 64


VARIANTS = (
    CacheVariant("pool", streams=False),
    CacheVariant("streams", streams=True),
    CacheVariant("streams, no flash attention", True, _no_flash),
    CacheVariant("streams, q8_0 cache", True, _eight_bits),
    CacheVariant("streams, micro-batch 64", True, _small_steps),
)


def bench_layouts(
    model: Path, *, variants: Sequence[CacheVariant] = VARIANTS, sequences: int = SEQUENCES, tokens: int = TOKENS, repeats: int = 3
) -> list[LayoutRow]:
    """Measures each variant with the same tokens, drawn at random. Raises ModelRejected if the model cannot be run."""
    send_log(lambda text: None)
    with closing(LlamaModel(model, 0)) as loaded:
        return [_measure(loaded, variant, sequences, tokens, repeats) for variant in variants]


def _measure(model: LlamaModel, variant: CacheVariant, sequences: int, tokens: int, repeats: int) -> LayoutRow:
    each = tokens + CHUNK + 16
    context_tokens = each if variant.streams else each * (sequences + 1)
    shape = Shape(context_tokens, CHUNK + sequences, sequences + 1, 1, 0, variant.streams)
    with closing(LlamaContext(model, shape, change=variant.change)) as context:
        words = np.random.default_rng(3).integers(10, model.n_vocab - 10, tokens + CHUNK).tolist()
        _fill(context, words[:tokens], sequences)
        replies = [(words[n], tokens, n, True) for n in range(sequences)]
        chunk = [(word, at, sequences, at == CHUNK - 1) for at, word in enumerate(words[:CHUNK])]
        four = [(words[n], tokens + n, 0, True) for n in range(4)]

        def cost(rows: Sequence[tuple[int, int, int, bool]]) -> float:
            batch, times = Rows.of(rows), []
            for _ in range(repeats):
                began = time.process_time()
                context.decode(batch)
                context.logits()
                times.append(time.process_time() - began)
                for sequence in range(sequences):
                    context.cut(sequence, tokens)
                context.cut(sequences)
            return statistics.median(times) * 1000

        one, together, prompt = cost(replies[:1]), cost(replies), cost(chunk)
        mixed = cost(replies + chunk) / (together + prompt)
        times = []
        for _ in range(repeats):
            began = time.process_time()
            context.copy(0, sequences, tokens)
            context.decode(Rows.of([(words[0], tokens, sequences, True)]))  # a stream is copied with the next decode
            times.append((time.process_time() - began) * 1000 - one)
            context.cut(sequences)
        return LayoutRow(
            variant.name, one, together / sequences, prompt / CHUNK, mixed, cost(four) / one, max(statistics.median(times), 0.0)
        )


def _fill(context: LlamaContext, words: Sequence[int], sequences: int) -> None:
    """Computes a prompt once, and gives each sequence cells of its own with it."""
    for at in range(0, len(words), CHUNK):
        context.decode(Rows.of((word, at + n, 0, False) for n, word in enumerate(words[at : at + CHUNK])))
    context.double(0, range(1, sequences))
