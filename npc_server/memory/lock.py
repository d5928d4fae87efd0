"""A file lock. The system releases it when the process that holds it ends, even after a crash. Everything here blocks."""

from __future__ import annotations

import os
import time
from pathlib import Path

from npc_server.platform.files import lock

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
                lock(handle)
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
