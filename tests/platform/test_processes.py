from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time

import pytest

from npc_server.platform import processes

LIMIT_S = 20.0


def sleeper() -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])


def test_a_process_runs_until_it_has_ended_even_if_nobody_waited_for_it() -> None:
    child = sleeper()
    assert processes.is_running(child.pid)
    assert processes.is_running(os.getpid())
    child.kill()
    end = time.monotonic() + LIMIT_S
    while processes.is_running(child.pid) and time.monotonic() < end:
        time.sleep(0.01)
    assert not processes.is_running(child.pid)
    child.wait()
    assert not processes.is_running(child.pid)


async def test_the_end_of_a_process_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "POLL_S", 0.01)
    child = sleeper()
    waiting = asyncio.ensure_future(processes.ended(child.pid))
    await asyncio.sleep(0.05)
    assert not waiting.done()
    processes.end_at_once(child.pid)
    await asyncio.wait_for(waiting, LIMIT_S)
    child.wait()
    await asyncio.wait_for(processes.ended(child.pid), LIMIT_S)


def test_ending_a_process_that_has_ended_is_no_mistake() -> None:
    child = sleeper()
    processes.end_at_once(child.pid)
    assert child.wait() != 0
    processes.end_at_once(child.pid)


def test_a_process_without_its_parent_ends() -> None:
    code = "from npc_server.platform.processes import end_with; end_with(1 << 22); print('still here')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == ""
