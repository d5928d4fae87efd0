"""A file lock. The system releases it when the process that holds it ends, even after a crash. Everything here blocks."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        # Windows locks bytes and keeps others from reading them. So this locks a byte far behind the number in the file.
        os.lseek(handle, 1 << 20, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(handle: int) -> None:
        # flock, not lockf, since it also works between two users in the same process.
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


MOST_NUMBER = 2**62
"""The highest number that is accepted. Higher ones would soon not fit into 64 bits."""


class FileLock:
    """A held lock, whose file also keeps a number.

    The file stays after `release`. If it were removed, two processes could hold the lock at once.
    """

    def __init__(self, handle: int) -> None:
        self._handle = handle

    @classmethod
    def acquire(cls, path: Path, patience_s: float) -> FileLock | None:
        """Takes the lock, or returns None if another holds it for all of `patience_s` seconds.

        `Slots.saves` holds each lock for a moment, so a little patience helps.
        """
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
        """The number that `keep` stored last; 0 if there is none, or if the file holds something else."""
        os.lseek(self._handle, 0, os.SEEK_SET)
        text = os.read(self._handle, 20).decode("ascii", "replace").strip()
        return number if text.isdecimal() and (number := int(text)) <= MOST_NUMBER else 0

    def keep(self, number: int) -> None:
        """Stores a number in the lock's file. It survives a power cut."""
        os.lseek(self._handle, 0, os.SEEK_SET)
        os.write(self._handle, f"{number:019}\n".encode())
        os.fsync(self._handle)

    def release(self) -> None:
        """Gives the lock back."""
        os.close(self._handle)
