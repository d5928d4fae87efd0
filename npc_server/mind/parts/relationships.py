"""What other people are to an NPC."""

from __future__ import annotations

from dataclasses import dataclass, field

from npc_server.records import NpcId, Social, TalkPart, TalkWish


@dataclass
class Relationships:
    """People are named by NPC id, or by a player's name."""

    social: dict[str, Social] = field(default_factory=dict)
    """Social Memory (AGA, section 3.2). `mind.relationships` reads and writes it."""
    summed_up: dict[str, TalkPart] = field(default_factory=dict)
    """What was summed up of talks that go on, by the other person. `affordable.social_memory` reads and writes it."""
    talk_wanted: dict[NpcId, TalkWish] = field(default_factory=dict)
    """With whom it wanted to talk, and about what. `cognition.react` keeps the wish until they talk."""
