"""A display without a screen, for pictures of what a player sees."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.waiting import LIMIT_S

SIZE = (1280, 720)


@contextmanager
def display() -> Iterator[dict[str, str]]:
    """What Godot needs in its environment to draw in software; skips the test where there is no Xvfb."""
    if shutil.which("Xvfb") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("There is no Xvfb. Install it: apt-get install xvfb.")
        pytest.skip("There is no Xvfb. Install it (Debian: apt-get install xvfb) to see the town without a display.")
    read, write = os.pipe()
    # Xvfb takes a free display itself and says which.
    screen = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", f"{SIZE[0]}x{SIZE[1]}x24"], pass_fds=[write], stderr=subprocess.DEVNULL
    )
    os.close(write)
    try:
        yield {"DISPLAY": f":{_number(read)}", "WAYLAND_DISPLAY": "", "NPC_SOFTWARE_GL": "1", "LIBGL_ALWAYS_SOFTWARE": "1"}
    finally:
        os.close(read)
        screen.terminate()
        screen.wait(LIMIT_S)


def _number(read: int) -> str:
    said = ""
    end = time.monotonic() + LIMIT_S
    while not said.endswith("\n") and time.monotonic() < end:
        piece = os.read(read, 16).decode()
        if not piece:
            break
        said += piece
    return said.strip()
