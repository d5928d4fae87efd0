"""A lock that one process holds and that the system lets go of when the process ends, however it ends. Blocks."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        # Windows locks bytes and keeps others from reading them: one far behind the number that is kept here.
        os.lseek(handle, 1 << 20, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(handle: int) -> None:
        # flock and not lockf: it also holds between two users within this process.
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


MOST_NUMBER = 2**62
"""Numbers up to here can be sent and counted on."""


class FileLock:
    """A held lock. Its file stays when it is released (removing it would let two processes hold "it"), and keeps a number."""

    def __init__(self, handle: int) -> None:
        self._handle = handle

    @classmethod
    def acquire(cls, path: Path, patience_s: float) -> FileLock | None:
        """None when another holds it all the time. A look at the lock by `Slots.saves` passes in a moment, so a little patience helps."""
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        end = time.monotonic() + patience_s
        while True:
            try:
                _lock(handle)
            except OSError:
                if time.monotonic() >= end:
                    os.close(handle)
                    return None
                time.sleep(0.005)
            else:
                return cls(handle)

    def number(self) -> int:
        """What was last kept with `keep`; 0 for nothing, or for what `keep` never wrote."""
        os.lseek(self._handle, 0, os.SEEK_SET)
        text = os.read(self._handle, 20).decode("ascii", "replace").strip()
        return number if text.isdecimal() and (number := int(text)) <= MOST_NUMBER else 0

    def keep(self, number: int) -> None:
        """Through a power cut, too."""
        os.lseek(self._handle, 0, os.SEEK_SET)
        os.write(self._handle, f"{number:019}\n".encode())
        os.fsync(self._handle)

    def release(self) -> None:
        os.close(self._handle)
