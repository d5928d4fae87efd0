"""What everybody in a save is called."""

from __future__ import annotations

from dataclasses import dataclass, field

from npc_server.personas.names import first_name
from npc_server.records import NpcId


@dataclass
class People:
    """Shared by all minds of a session."""

    names: dict[NpcId, str]
    """By NPC id. No two are the same: where people share one, it has the id behind it."""
    short_names: dict[NpcId, str] = field(default_factory=dict)
    """What they are called in speech, by NPC id."""

    def name_of(self, who: str) -> str:
        """Return the name for an NPC id. A player's name is returned unchanged."""
        return self.names.get(who, who)

    def first_name_of(self, who: str) -> str:
        """Return what people call somebody in speech. Titles stay, as in `Captain Ysme`."""
        return self.short_names.get(who) or first_name(self.name_of(who))
