"""Settings of glibc's allocator for training. Giving memory back and taking it again costs a third of a step in page faults."""

from __future__ import annotations

import ctypes
import os

_TRIM, _PAD, _MAPPED, _ARENAS = -1, -2, -4, -8
"""Parameters of glibc's mallopt."""
_PAD_BYTES = 256 << 20


def keep_freed_memory() -> None:
    """Makes glibc keep freed memory in one arena, and PyTorch ask for huge pages. Call it before any tensor exists.

    Does nothing without glibc.
    """
    os.environ.setdefault("THP_MEM_ALLOC_ENABLE", "1")
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return
    for option, value in ((_MAPPED, 0), (_TRIM, 2**31 - 1), (_PAD, _PAD_BYTES), (_ARENAS, 1)):
        mallopt(option, value)
