"""The main program of the model process. It reads frames from standard input, and writes answers to standard output.

The process ends when its input ends, so it never outlives the server. On Linux the kernel ends it too. What llama.cpp prints goes to
standard error, which the server redirects to the model log.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from typing import BinaryIO, Protocol

from npc_server.errors import EngineError
from npc_server.llm.lifetime import end
from npc_server.llm.protocol import Frame, Send, pack, pack_error, unpack
from npc_server.llm.runtime import COMPILED
from npc_server.platform.processes import end_with

_SENDING = threading.Lock()


class Worker(Protocol):
    """What answers the frames of a process."""

    def hear(self, frame: Frame) -> None:
        """Takes a frame from the reading thread."""
        ...

    def run(self) -> None:
        """Answers until the process ends."""
        ...


def main(parent: int) -> None:
    """Runs until the input ends. `parent` is the server's process id."""
    end_with(parent)
    os.environ["GGML_NO_BACKTRACE"] = "1"
    # Only frames may go to the pipe. What a library prints goes to the log.
    out = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server handles Ctrl-C
    first = sys.stdin.buffer.readline()
    if not first:
        return
    init = unpack(first)
    try:
        worker = _open(init, lambda frame: _send(out, frame))
    except EngineError as error:
        _send(out, {"ev": "rejected", "error": pack_error(error)})
        return
    threading.Thread(target=_read, args=(sys.stdin.buffer, worker.hear), daemon=True).start()
    worker.run()


def _open(init: Frame, send: Send) -> Worker:
    # Each runtime imports its own libraries, and the other ones' may not be installed.
    if init["runtime"]["kind"] == COMPILED:
        from npc_server.llm.chat_worker import open_worker

        return open_worker(init, send)
    from npc_server.llm.served.open import open_served

    return open_served(init, send)


def _read(source: BinaryIO, hear: Callable[[Frame], None]) -> None:
    """Passes frames on. When the server is gone, it ends the process at once."""
    code = 0
    try:
        for line in source:
            hear(unpack(line))
    except Exception:  # noqa: BLE001  without this thread the process would read nothing more
        traceback.print_exc()
        code = 1
    end(code)


def _send(out: BinaryIO, frame: Frame) -> None:
    data = memoryview(pack(frame))
    try:
        with _SENDING:
            while data:
                data = data[out.write(data) :]
    except BrokenPipeError:
        end(0)
