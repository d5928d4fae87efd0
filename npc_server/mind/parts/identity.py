"""How an NPC sees itself. What does not change stands in its persona."""

from __future__ import annotations

from dataclasses import dataclass

from npc_server.records import NEVER, GameTime


@dataclass
class SelfView:
    """Renewed each morning and after reflection (Generative Agents, section 4.3.1)."""

    summary: str = ""
    """Its nature, work and feelings in its own view."""
    currently: str = ""
    """What is on its mind now, renewed together with `summary`."""
    revised: GameTime = NEVER
    """When they were last renewed."""
    grounds: tuple[int, ...] = ()
    """Ids of the memories from which they were drawn."""
