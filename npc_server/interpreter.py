"""How Python runs a process that plays a town: when threads take turns, and how often garbage is looked for."""

from __future__ import annotations

import gc
import sys

SWITCH_INTERVAL_S = 0.001
"""Seconds that a thread may keep Python's interpreter lock while another waits for it. Python's default is 0.005."""
NEW_OBJECTS = 20_000
"""New objects after which Python looks for garbage among them. Its default is 700, which took 4 % of a day in Alderwick."""


def prepare() -> None:
    """Sets the process up for many small tasks. What is loaded so far is never garbage, and is not looked through again."""
    # The streams must not wait long for the interpreter lock while a thread reads a large save.
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    gc.set_threshold(NEW_OBJECTS, *gc.get_threshold()[1:])
    # A collection that looks through all loaded modules would stop the streams for a tenth of a second.
    gc.collect()
    gc.freeze()
