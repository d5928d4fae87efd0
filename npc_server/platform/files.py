"""Files: locks, replacing a file that another program looks at, and names that survive a power cut."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from npc_server.platform.system import is_portable

if sys.platform == "win32":
    import msvcrt

    _LOCKED_BYTE = 1 << 20
    """Windows locks bytes, and keeps others from reading them. So this one lies far behind what the file holds."""

    def lock(handle: int) -> None:
        """Lock an open file for this handle alone. The system gives the lock back when the process ends. Raises OSError if it is taken."""
        os.lseek(handle, _LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def lock(handle: int) -> None:
        """Lock an open file for this handle alone. The system gives the lock back when the process ends. Raises OSError if it is taken."""
        # flock, not lockf, since it also works between two users in the same process.
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


PATIENCE_S = 2.0
"""Wall seconds for which a file may be kept open by another program before it cannot be replaced: virus scanners take a moment."""
_POLL_S = 0.02


def move_over(fresh: Path, target: Path, patience_s: float = PATIENCE_S) -> None:
    """Put a finished file in the place of another one. Raises OSError.

    Windows refuses this while anybody has one of them open, so it is tried again for a moment.
    """
    end = time.monotonic() + (patience_s if is_portable() else 0.0)
    while True:
        try:
            fresh.replace(target)
            return
        except PermissionError:
            if time.monotonic() >= end:
                raise
            time.sleep(_POLL_S)


def write_whole(target: Path, text: str) -> None:
    """Write a text file in UTF-8, so that nobody reads half of it and an older one stays where that fails. Raises OSError."""
    fresh = target.with_name(f".{target.name}.{os.getpid()}.new")
    try:
        fresh.write_text(text, encoding="utf-8")
        move_over(fresh, target)
    finally:
        fresh.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Write the names of a folder's files through to the disk. Windows needs no such call, since its file system journals names."""
    if is_portable():
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
