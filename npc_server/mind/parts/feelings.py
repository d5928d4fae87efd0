"""What an NPC needs, and its mood (Humanoid Agents, arXiv 2310.05418)."""

from __future__ import annotations

from dataclasses import dataclass, field

from npc_server.records import GameTime, Mood, Needs


@dataclass
class NeedsAndMood:
    """`mind.needs` and `mind.mood` keep them."""

    needs: Needs = field(default_factory=Needs)
    """As they were at `needs_at`."""
    needs_at: GameTime = 0
    """Until when `needs` is up to date; 0 before the first thought."""
    mood: Mood = field(default_factory=Mood)
    told: tuple[object, ...] = ()
    """The feelings that the game was told last."""
