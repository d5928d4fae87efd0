"""Other processes: whether they run, when they end, and ending them.

`os.kill(pid, 0)`, with which POSIX asks whether a process runs, would send Windows a Ctrl-C. psutil asks each system in its own way.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import os
import signal

import psutil

from npc_server.platform.system import is_linux

POLL_S = 0.5
"""Wall seconds between two looks at a process, on systems that do not report the end of another's child."""
_PR_SET_PDEATHSIG = 1


def is_running(pid: int) -> bool:
    """Return whether there is a process with this id that has not ended. One that nobody has waited for (a zombie) has."""
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
    except psutil.AccessDenied:  # it belongs to another user
        return True


async def ended(pid: int) -> None:
    """Wait until a process has ended."""
    try:
        handle = os.pidfd_open(pid) if is_linux() else None
    except ProcessLookupError:
        return
    except (AttributeError, OSError):  # an old Linux, or one that does not allow this
        handle = None
    if handle is None:
        while is_running(pid):  # noqa: ASYNC110  nothing reports the end of the process
            await asyncio.sleep(POLL_S)
        return
    loop, is_over = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(handle, is_over.set)
    try:
        await is_over.wait()
    finally:
        loop.remove_reader(handle)
        os.close(handle)


def end_at_once(pid: int) -> None:
    """End a process without asking it. One that has ended is no mistake."""
    with contextlib.suppress(psutil.NoSuchProcess):
        psutil.Process(pid).kill()


def end_tree(pid: int) -> None:
    """End a process and all that it has started, without asking them."""
    with contextlib.suppress(psutil.NoSuchProcess):
        first = psutil.Process(pid)
        for process in [*first.children(recursive=True), first]:
            end_at_once(process.pid)


def end_with(parent: int) -> None:
    """Let this process end with its parent: Linux kills it then. Elsewhere it must notice itself that its input ends."""
    if is_linux():
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)
