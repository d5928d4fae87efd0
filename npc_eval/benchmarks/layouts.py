"""Measures how llama.cpp's own settings change the cost of a token, while other requests have filled the context.

On a processor it counts processor time with one thread, because wall time also measures what else the machine does. On a graphics card it
counts wall time.
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
"""Tokens of a prompt in one decode, where a variant does not say otherwise."""
Q8_0 = 8
"""llama.cpp's number of the type."""


@dataclass(frozen=True)
class CacheVariant:
    name: str
    streams: bool
    change: Callable[[Any], None] = lambda params: None
    chunk: int = CHUNK


@dataclass(frozen=True)
class LayoutRow:
    """Milliseconds, medians: of processor time, or of wall time on a graphics card."""

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
ON_GRAPHICS_CARDS = (
    *VARIANTS,
    CacheVariant("pool, chunk 512", streams=False, chunk=512),
    CacheVariant("streams, chunk 512", streams=True, chunk=512),
    CacheVariant("streams, chunk 2048", streams=True, chunk=2048),
)
"""A card reads the longer a part of a prompt, the faster. A processor does not."""


def bench_layouts(
    model: Path,
    *,
    variants: Sequence[CacheVariant] = (),
    sequences: int = SEQUENCES,
    tokens: int = TOKENS,
    repeats: int = 3,
    n_gpu_layers: int = -1,
) -> list[LayoutRow]:
    """Measures each variant with the same tokens, drawn at random. Raises ModelRejected if the model cannot be run.

    It is measured on a graphics card if there is one and `n_gpu_layers` is not 0. By default the variants depend on that.
    """
    send_log(lambda text: None)
    with closing(LlamaModel(model, n_gpu_layers)) as loaded:
        clock = time.perf_counter if loaded.uses_card else time.process_time
        chosen = variants or (ON_GRAPHICS_CARDS if loaded.uses_card else VARIANTS)
        return [_measure(loaded, variant, sequences, tokens, repeats, clock) for variant in chosen]


def _measure(model: LlamaModel, variant: CacheVariant, sequences: int, tokens: int, repeats: int, clock: Callable[[], float]) -> LayoutRow:
    part = variant.chunk
    each = max(tokens, part) + CHUNK + 16
    context_tokens = each if variant.streams else each * (sequences + 1)
    shape = Shape(context_tokens, part + sequences, sequences + 1, 1, streams=variant.streams)
    with closing(LlamaContext(model, shape, change=variant.change)) as context:
        words = np.random.default_rng(3).integers(10, model.n_vocab - 10, max(tokens, part) + CHUNK).tolist()
        _fill(context, words[:tokens], sequences)
        replies = [(words[n], tokens, n, True) for n in range(sequences)]
        chunk = [(word, at, sequences, at == part - 1) for at, word in enumerate(words[:part])]
        four = [(words[n], tokens + n, 0, True) for n in range(4)]

        def cost(rows: Sequence[tuple[int, int, int, bool]]) -> float:
            batch, times = Rows.of(rows), []
            for _ in range(repeats):
                began = clock()
                context.decode(batch)
                context.logits()
                times.append(clock() - began)
                for sequence in range(sequences):
                    context.cut(sequence, tokens)
                context.cut(sequences)
            return statistics.median(times) * 1000

        one, together, prompt = cost(replies[:1]), cost(replies), cost(chunk)
        mixed = cost(replies + chunk) / (together + prompt)
        times = []
        for _ in range(repeats):
            began = clock()
            context.copy(0, sequences, tokens)
            context.decode(Rows.of([(words[0], tokens, sequences, True)]))  # a stream is copied with the next decode
            times.append((clock() - began) * 1000 - one)
            context.cut(sequences)
        return LayoutRow(
            variant.name, one, together / sequences, prompt / part, mixed, cost(four) / one, max(statistics.median(times), 0.0)
        )


def _fill(context: LlamaContext, words: Sequence[int], sequences: int) -> None:
    """Computes a prompt once, and gives each sequence cells of its own with it."""
    for at in range(0, len(words), CHUNK):
        context.decode(Rows.of((word, at + n, 0, False) for n, word in enumerate(words[at : at + CHUNK])))
    context.double(0, range(1, sequences))
