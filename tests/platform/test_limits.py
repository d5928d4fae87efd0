from __future__ import annotations

import subprocess
import sys

import pytest

from npc_server.platform.limits import TimeUp, limited

PLENTY = 1 << 30
PROFILED = """
import sys
from npc_server.platform.limits import TimeUp, limited
try:
    with limited(0.1, 1 << 30):
        while True:
            pass
except TimeUp:
    pass
sys.setprofile(lambda *given: None)
[int(it) for it in "123"]
sys.setprofile(None)
print("ended")
"""


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


def test_after_a_limit_was_hit_a_profiled_function_ends() -> None:
    """CPython 3.11 never leaves a profiled function once an error that was announced to its thread was taken back."""
    done = subprocess.run([sys.executable, "-c", PROFILED], timeout=30, capture_output=True, text=True, check=False)
    assert done.stdout == "ended\n", done.stderr


def test_what_ends_in_time_is_left_alone() -> None:
    with limited(10.0, PLENTY):
        total = sum(range(1000))
    assert total == 499500
