"""Counts by whom an NPC's questions were answered."""

from __future__ import annotations

from dataclasses import dataclass

from npc_server.records import Source


@dataclass
class Tally:
    model: int = 0
    policy: int = 0
    """Questions that a policy made unnecessary."""
    instinct: int = 0
    chosen: int = 0
    """Lines to players that a model which reads has chosen."""
    plan_changes: int = 0

    def count(self, source: Source) -> None:
        """Count an answer by where it came from."""
        if source is Source.INSTINCT:
            self.instinct += 1
        elif source is Source.CHOSEN:
            self.chosen += 1
        elif source is Source.POLICY:
            self.policy += 1
        else:
            self.model += 1
