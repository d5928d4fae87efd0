from __future__ import annotations

import signal
import subprocess
import sys

WAITS = """
import asyncio, sys
from npc_server.platform.signals import stop_on_signals
async def main():
    stop = asyncio.Event()
    with stop_on_signals(stop):
        print("ready", flush=True)
        await stop.wait()
        print("stopping", flush=True)
        if sys.argv[1] == "slowly":
            await asyncio.sleep(60)
    print("stopped", flush=True)
asyncio.run(main())
"""


def started(how: str) -> subprocess.Popen[str]:
    child = subprocess.Popen([sys.executable, "-c", WAITS, how], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    return child


def test_a_request_to_end_stops_a_command_in_order() -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        child = started("at once")
        child.send_signal(number)
        assert child.communicate(timeout=20)[0] == "stopping\nstopped\n"
        assert child.returncode == 0


def test_a_second_request_ends_it_at_once() -> None:
    child = started("slowly")
    child.send_signal(signal.SIGTERM)
    assert child.stdout is not None
    assert child.stdout.readline() == "stopping\n"
    child.send_signal(signal.SIGTERM)
    assert "stopped" not in child.communicate(timeout=20)[0]
    assert child.returncode != 0
