"""What the server asks, on its way from the thread that reads to the thread that decodes. A player's request interrupts what is decoded."""

from __future__ import annotations

import queue
import threading

from npc_server.llm.engine import Priority
from npc_server.llm.interrupt import Interrupt
from npc_server.llm.protocol import Frame


class Inbox:
    """Of one model process."""

    def __init__(self, interrupt: Interrupt) -> None:
        self.interrupt = interrupt
        self._frames: queue.SimpleQueue[Frame] = queue.SimpleQueue()
        self._both = threading.Lock()

    def put(self, frame: Frame) -> None:
        # Together, so that whoever is interrupted finds the frame, and nobody is interrupted by one that was taken already.
        with self._both:
            self._frames.put(frame)
            if any(item.get("priority") == Priority.PLAYER for item in frame["do"]):
                self.interrupt.ask()

    def take(self, *, wait: bool) -> list[Frame]:
        """All that came; with `wait` at least one."""
        frames = [self._frames.get()] if wait else []
        with self._both:
            self.interrupt.clear()
            while not self._frames.empty():
                frames.append(self._frames.get())
        return frames
