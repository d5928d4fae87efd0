"""Programs of the model process, which end with it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import NoReturn

from npc_server.platform.processes import end_with
from npc_server.platform.system import is_linux

_children: list[subprocess.Popen[bytes]] = []
"""Programs that end with this process."""


def start_child(command: Sequence[str], env: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """Starts a program that ends with this process. What it prints goes to standard error. Raises OSError."""
    parent = os.getpid()
    child = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=sys.stderr,
        stderr=sys.stderr,
        env={**os.environ, **env},
        preexec_fn=(lambda: end_with(parent)) if is_linux() else None,
    )
    _children.append(child)
    return child


def end(code: int) -> NoReturn:
    """Ends this process at once, and its programs with it."""
    for child in _children:
        child.kill()
    os._exit(code)
