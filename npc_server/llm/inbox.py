"""The queue of requests between the thread that reads the server's frames and the thread that decodes.

When a player's request arrives, it interrupts the decode that runs. So does a cancellation, if nobody else is in that decode.
"""

from __future__ import annotations

import queue
import threading

from npc_server.llm.engine import Priority
from npc_server.llm.interrupt import Interrupt
from npc_server.llm.protocol import Frame


class Inbox:
    """The frames that one model process has read and not yet handled."""

    def __init__(self, interrupt: Interrupt) -> None:
        self.interrupt = interrupt
        self._frames: queue.SimpleQueue[Frame] = queue.SimpleQueue()
        self._frames_and_interrupt = threading.Lock()
        self._decoding: frozenset[int] = frozenset()
        """The requests in the decode that runs."""
        self._cancelled: set[int] = set()
        """The requests whose cancellation is queued."""

    def put(self, frame: Frame) -> None:
        """Queues a frame. Called by the thread that reads."""
        # Under one lock: an interrupted decode then always finds the frame, and a frame that was taken already interrupts nothing.
        with self._frames_and_interrupt:
            self._frames.put(frame)
            self._cancelled |= {int(item["id"]) for item in frame["do"] if item.get("op") == "cancel"}
            if any(item.get("priority") == Priority.PLAYER for item in frame["do"]):
                self.interrupt.ask()
            self._stop_for_nobody()

    def take(self, *, wait: bool) -> list[Frame]:
        """Returns all queued frames, the oldest first. With `wait` it blocks until there is at least one."""
        frames = [self._frames.get()] if wait else []
        with self._frames_and_interrupt:
            self.interrupt.clear()
            self._decoding = frozenset()
            self._cancelled.clear()
            while not self._frames.empty():
                frames.append(self._frames.get())
        return frames

    def decoding(self, requests: frozenset[int]) -> None:
        """Takes note of the requests in the next decode. Called by the thread that decodes."""
        with self._frames_and_interrupt:
            self._decoding = requests
            self._stop_for_nobody()

    def _stop_for_nobody(self) -> None:
        """Interrupts a decode in which all requests are cancelled. One that is for others, too, goes on, or their work would be lost."""
        if self._decoding and self._decoding <= self._cancelled:
            self.interrupt.ask()
