"""Which system this is, as far as it matters."""

from __future__ import annotations

import os
import sys

SWITCH = "NPC_PORTABLE"
"""The variable of the environment that turns off what only POSIX or Linux has."""


def is_portable() -> bool:
    """Return whether the branches that work everywhere are to be taken."""
    return os.name != "posix" or bool(os.environ.get(SWITCH))


def is_linux() -> bool:
    """Return whether the system calls of Linux may be used."""
    return sys.platform == "linux" and not is_portable()
