"""Limits of time and memory for code that may never end, such as a chat template by a stranger."""

from __future__ import annotations

import contextlib
import ctypes
import signal
import sys
import threading
import time
from collections.abc import Iterator

import psutil

from npc_server.platform.system import is_portable

AGAIN_S = 0.05
"""Seconds between two alarms: one that comes during some of Python's own cleaning up is lost."""


class TimeUp(BaseException):
    """The time is over. No handler of the limited code catches this by mistake."""


@contextlib.contextmanager
def limited(seconds: float, extra_bytes: int) -> Iterator[None]:
    """Limit the processor time and memory of a `with` block, by TimeUp and MemoryError. Only the main thread can use it."""
    with _watched(seconds, extra_bytes) if is_portable() else _by_system(seconds, extra_bytes):
        yield


if sys.platform == "win32":
    _by_system = None
else:
    import resource

    @contextlib.contextmanager
    def _by_system(seconds: float, extra_bytes: int) -> Iterator[None]:
        """By an alarm and a limit that the system keeps."""
        running = True

        def ring(*_: object) -> None:
            if running:
                raise TimeUp

        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        most = psutil.Process().memory_info().vms + extra_bytes
        former = signal.signal(signal.SIGPROF, ring)
        try:
            signal.setitimer(signal.ITIMER_PROF, seconds, AGAIN_S)
            with contextlib.suppress(ValueError, OSError):  # macOS takes no limit of memory
                resource.setrlimit(resource.RLIMIT_AS, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
            yield
        finally:
            running = False
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.signal(signal.SIGPROF, former)
            with contextlib.suppress(ValueError, OSError):
                resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


@contextlib.contextmanager
def _watched(seconds: float, extra_bytes: int) -> Iterator[None]:
    """By a thread that looks often, and raises the error in this one. A single call into C can pass the limit by some time."""
    over, guarded = threading.Event(), threading.get_ident()
    ends, process = time.process_time() + seconds, psutil.Process()
    most = process.memory_info().rss + extra_bytes

    def watch() -> None:
        while not over.wait(AGAIN_S):
            error = TimeUp if time.process_time() >= ends else MemoryError if process.memory_info().rss > most else None
            if error is not None:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(guarded), ctypes.py_object(error))

    watching = threading.Thread(target=watch, daemon=True)
    watching.start()
    try:
        yield
    finally:
        over.set()
        for _ in range(2):  # An error that comes too late is raised here, at the latest by the end of a turn of this loop.
            with contextlib.suppress(TimeUp, MemoryError):
                watching.join()
