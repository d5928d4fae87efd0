"""Measures what choosing tokens costs beside computing them: drawing, grammars, and our own loop, with a large vocabulary."""

from __future__ import annotations

import tempfile
import time
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated

import numpy as np

from npc_eval.random_model import make_random_model
from npc_server.llm.batching import Batcher
from npc_server.llm.gguf_header import read_header
from npc_server.llm.llama import LlamaContext, LlamaModel, Rows, Shape, send_log
from npc_server.llm.reply import Integer, Text, TimeOfDay, many, one
from npc_server.llm.sampling import Chooser, GrammarPool
from npc_server.llm.sampling_parameters import USUAL
from npc_server.llm.sequences import Job

VOCABULARY, SEQUENCES = 150_000, 25
PROMPT_TOKENS, TURNS = 64, 24
WIDTHS, LAYERS = (320, 640), 10
"""Sizes of the random models. The smallest real ones with such a vocabulary have 500 million parameters and are larger than these."""


@dataclass(frozen=True)
class _Said:
    say: Annotated[str, Text(200)]
    then: Annotated[str, Text(20)]


@dataclass(frozen=True)
class _Step:
    start: Annotated[int, TimeOfDay()]
    text: Annotated[str, Text(80)]
    weight: Annotated[int, Integer(1, 10)]


GRAMMARS = (one(_Said).grammar(), many(_Step, 20, 20).grammar(), "")
"""A line of a talk, a plan, and free text."""


@dataclass(frozen=True)
class ChoosingRow:
    """Processor time of turns in which each reply gets a token."""

    vocabulary: int
    parameters_m: float
    """Millions."""
    sequences: int
    turn_ms: float
    decode_ms: float
    share: float
    """What everything except llama.cpp's decode takes of a turn."""


class _Timed(LlamaContext):
    """Counts the processor time of its decodes."""

    spent = 0.0

    def decode(self, rows: Rows, may_interrupt: bool = False) -> bool:
        began = time.process_time()
        try:
            return super().decode(rows, may_interrupt)
        finally:
            self.spent += time.process_time() - began


def bench_choosing(
    *, vocabulary: int = VOCABULARY, sequences: int = SEQUENCES, turns: int = TURNS, widths: tuple[int, ...] = WIDTHS, layers: int = LAYERS
) -> list[ChoosingRow]:
    """Runs random models. What they draw mostly breaks the grammar, so the allowed tokens are computed more often than for a real one."""
    send_log(lambda text: None)
    return [_of_random_model(vocabulary, sequences, turns, width, layers) for width in widths]


def _of_random_model(vocabulary: int, sequences: int, turns: int, width: int, layers: int) -> ChoosingRow:
    with tempfile.TemporaryDirectory(prefix="npc-server-bench-") as folder:
        path = make_random_model(Path(folder) / "random.gguf", width=width, layers=layers, heads=5, vocab=vocabulary)
        with closing(LlamaModel(path, 0)) as model:
            return _measure(model, read_header(path).parameters / 1e6, sequences, turns)


def _measure(model: LlamaModel, parameters_m: float, sequences: int, turns: int) -> ChoosingRow:
    length = PROMPT_TOKENS + 16 * turns + 64
    with closing(_Timed(model, Shape(length, 512, sequences, 1, streams=True))) as context:
        batcher = Batcher(context, lru_cache(65536)(model.piece), batch_tokens=512, max_parallel=sequences, kept_prefixes=0, share=False)
        ends = model.end_tokens()
        grammars, rng = GrammarPool(model.guidance(ends)), np.random.default_rng(5)
        for n in range(sequences):
            matcher = grammars.matcher(GRAMMARS[n % len(GRAMMARS)]) if GRAMMARS[n % len(GRAMMARS)] else None
            tokens = rng.integers(0, 250, PROMPT_TOKENS).astype(np.int32)
            batcher.add(
                Job(n, tokens, 0, 16 * turns, 2, lambda matcher=matcher, n=n: Chooser(matcher, frozenset(ends), USUAL, n))  # type: ignore[misc]
            )
        while batcher.queue or any(sequence.prefilling for sequence in batcher.running):
            batcher.turn()
        context.spent, began = 0.0, time.process_time()
        for _ in range(turns):
            batcher.turn()
        whole = time.process_time() - began
        per_turn = 1000 / turns
        return ChoosingRow(model.n_vocab, parameters_m, sequences, whole * per_turn, context.spent * per_turn, 1 - context.spent / whole)
