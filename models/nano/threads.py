"""The number of PyTorch's threads, while other work may share the machine."""

from __future__ import annotations

import os

import torch


class Threads:
    """Sets the number of threads: a fixed one, or with 0 whichever is fastest at the moment."""

    TRY_EVERY, TRY_FOR = 120, 3

    def __init__(self, wanted: int) -> None:
        self.wanted, self.steps = wanted, 0
        self.counts = sorted({1, os.cpu_count() or 1})
        self.seconds: dict[int, list[float]] = {}
        torch.set_num_threads(wanted or 1)

    def next(self, last_s: float) -> None:
        """Call it before each step, with the seconds of the last one."""
        if self.wanted:
            return
        at = self.steps % self.TRY_EVERY
        tried, place = divmod(at, self.TRY_FOR)
        if 0 < at <= self.TRY_FOR * len(self.counts) and (at - 1) % self.TRY_FOR:  # the first of each is not counted
            self.seconds.setdefault(self.counts[(at - 1) // self.TRY_FOR], []).append(last_s)
        if place == 0 and tried < len(self.counts):
            if tried == 0:
                self.seconds.clear()
            torch.set_num_threads(self.counts[tried])
        elif at == self.TRY_FOR * len(self.counts):
            torch.set_num_threads(min(self.seconds, key=lambda count: sum(self.seconds[count])) if self.seconds else 1)
        self.steps += 1
