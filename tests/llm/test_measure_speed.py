"""Measuring a loaded model, with a context that takes as long as the test says."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

from npc_server.llm.llama import Rows
from npc_server.llm.measure_speed import CARD_CHUNK_TOKENS, CHUNK_TOKENS, MOST_WRITTEN, measure
from npc_server.llm.sampling import Logits


@dataclass
class Machine:
    """A context that reads a token in `read_s` and needs `decode_s` more for each decode; the first one takes `first_s` more."""

    read_s: float = 0.001
    decode_s: float = 0.0
    first_s: float = 0.0
    hiccup: int = -1
    """The decode that takes ten times as long."""
    cells: int = 8192
    streams: bool = False
    now: float = 0.0
    sizes: list[int] = field(default_factory=list)
    kept: int = 0

    def decode(self, rows: Rows, may_interrupt: bool = False) -> bool:
        assert list(rows.positions) == list(range(self.kept, self.kept + len(rows)))
        assert self.kept + len(rows) <= self.cells
        assert list(rows.wants_logits) == [False] * (len(rows) - 1) + [True]
        seconds = self.read_s * len(rows) + self.decode_s + (0 if self.sizes else self.first_s)
        self.now += seconds * (10 if len(self.sizes) == self.hiccup else 1)
        self.sizes.append(len(rows))
        self.kept += len(rows)
        return True

    def logits(self) -> Logits:
        return np.zeros((1, 8), np.float32)

    def copy(self, source: int, target: int, end: int) -> None:
        raise AssertionError

    def cut(self, sequence: int, start: int = 0) -> None:
        self.kept = start

    def clock(self) -> float:
        return self.now


def test_reading_and_writing_are_measured_apart_and_nothing_stays_in_the_context() -> None:
    machine = Machine(read_s=0.01, decode_s=0.08)
    found = measure(machine, 100, 3.0, clock=machine.clock)
    assert found.read_per_s == pytest.approx(CHUNK_TOKENS / (CHUNK_TOKENS * 0.01 + 0.08))
    assert found.written_per_s == pytest.approx(1 / 0.09)
    assert machine.kept == 0


def test_reading_the_file_from_the_disk_and_another_programs_moment_do_not_count() -> None:
    quiet, first, busy = Machine(), Machine(first_s=20.0), Machine(hiccup=2)
    wanted = measure(quiet, 100, 3.0, clock=quiet.clock)
    for machine in (first, busy):
        found = measure(machine, 100, 3.0, clock=machine.clock)
        assert found.read_per_s == pytest.approx(wanted.read_per_s)
        assert found.written_per_s == pytest.approx(wanted.written_per_s)


@pytest.mark.parametrize("read_s", [0.0001, 0.003, 0.03])
def test_it_takes_three_seconds_at_most_on_any_machine_that_a_model_can_be_used_on(read_s: float) -> None:
    machine = Machine(read_s=read_s, decode_s=read_s)
    measure(machine, 100, 3.0, clock=machine.clock)
    longest = max(CHUNK_TOKENS * read_s, read_s) + read_s
    assert machine.now <= 3.0 + 2 * longest
    assert machine.sizes.count(1) <= MOST_WRITTEN + 1


def test_on_a_very_slow_machine_one_chunk_and_one_token_are_enough() -> None:
    machine = Machine(read_s=1.0)
    found = measure(machine, 100, 3.0, clock=machine.clock)
    assert machine.sizes == [1, CHUNK_TOKENS, 1, 1]
    assert found.read_per_s == pytest.approx(1.0)


def test_a_small_context_is_never_overrun_and_a_card_reads_many_at_once() -> None:
    small, card = Machine(cells=64), Machine()
    measure(small, 100, 3.0, clock=small.clock)
    measure(card, 100, 3.0, on_card=True, clock=card.clock)
    assert max(small.sizes) == 16
    assert max(card.sizes) == CARD_CHUNK_TOKENS
