"""Whether a question fits a time."""

from __future__ import annotations

import pytest

from npc_server.llm.speed import Speed, fits, takes_s

SPEED = Speed(read_per_s=50.0, written_per_s=10.0)


def test_a_question_takes_its_reading_and_its_writing() -> None:
    assert takes_s(SPEED, read_tokens=500, written_tokens=40) == pytest.approx(10 + 4)
    assert takes_s(SPEED, read_tokens=0, written_tokens=40) == pytest.approx(4)


def test_it_fits_up_to_the_second() -> None:
    assert fits(SPEED, read_tokens=500, written_tokens=40, within_s=14.0)
    assert not fits(SPEED, read_tokens=501, written_tokens=40, within_s=14.0)
    assert not fits(SPEED, read_tokens=500, written_tokens=41, within_s=14.0)
    assert fits(SPEED, read_tokens=120, written_tokens=24, within_s=6.0)


def test_where_nobody_measured_nothing_is_refused() -> None:
    assert fits(None, read_tokens=100_000, written_tokens=1000, within_s=0.1)
