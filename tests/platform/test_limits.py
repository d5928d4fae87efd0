from __future__ import annotations

import pytest

from npc_server.platform.limits import TimeUp, limited

PLENTY = 1 << 30


def loop() -> None:
    while True:
        pass


def grow() -> None:
    kept = []
    while True:
        kept.append(bytearray(1 << 20))


def test_what_never_ends_is_stopped() -> None:
    with pytest.raises(TimeUp), limited(0.1, PLENTY):
        loop()


def test_what_grows_without_end_is_stopped() -> None:
    with pytest.raises(MemoryError), limited(20.0, 64 << 20):
        grow()


def test_what_ends_in_time_is_left_alone() -> None:
    with limited(10.0, PLENTY):
        total = sum(range(1000))
    assert total == 499500
