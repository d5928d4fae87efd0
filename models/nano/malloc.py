"""Memory that was freed is used again at once: giving it back and taking it anew costs a third of a step in page faults."""

from __future__ import annotations

import ctypes
import os

_TRIM, _PAD, _MAPPED, _ARENAS = -1, -2, -4, -8
"""Numbers of glibc's mallopt."""
_PAD_BYTES = 256 << 20


def keep_freed_memory() -> None:
    """Has glibc keep what it got, in one arena, and PyTorch ask for large pages: before there are tensors. Nothing without glibc."""
    os.environ.setdefault("THP_MEM_ALLOC_ENABLE", "1")
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return
    for option, value in ((_MAPPED, 0), (_TRIM, 2**31 - 1), (_PAD, _PAD_BYTES), (_ARENAS, 1)):
        mallopt(option, value)
