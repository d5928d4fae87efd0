"""The machine: its cores, its memory and its processor."""

from __future__ import annotations

import os
import platform
from pathlib import Path

import psutil

from npc_server.platform.system import is_portable

_CGROUP = Path("/sys/fs/cgroup/memory.max")
_CPUINFO = Path("/proc/cpuinfo")


def cores() -> int:
    """Return how many processor threads this process may use."""
    if hasattr(os, "sched_getaffinity") and not is_portable():
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def memory_bytes() -> int:
    """Return the bytes of the machine's memory, or of what its container may use."""
    whole = int(psutil.virtual_memory().total)
    try:
        limit = "" if is_portable() else _CGROUP.read_text(encoding="ascii").strip()
    except OSError:
        return whole
    return min(whole, int(limit)) if limit.isdecimal() else whole


def processor() -> str:
    """Return the name of the processor and how many of its threads this process may use."""
    named = (line.partition(":")[2].strip() for line in _processor_lines() if line.startswith("model name"))
    return f"{next(named, '') or platform.processor() or platform.machine()} x {cores()}"


def has_amx() -> bool:
    """Return whether the processor has the instruction set AMX. Where the system does not tell, it has not."""
    return any("amx_int8" in line.split() for line in _processor_lines() if line.startswith("flags"))


def _processor_lines() -> list[str]:
    try:
        return [] if is_portable() else _CPUINFO.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
