"""How an NPC does things (AGA, section 3.1), and what it has just done."""

from __future__ import annotations

from dataclasses import dataclass, field

from npc_server.memory.policies import PolicyBook
from npc_server.mind.doing import OwnDeed
from npc_server.records import Living


@dataclass
class Lifestyle:
    policies: PolicyBook = field(default_factory=PolicyBook)
    """Lifestyle Policies of the save, shared by all minds of a session. `affordable.lifestyle_policy` reads and writes them."""
    living: dict[int, Living] = field(default_factory=dict)
    """Plans in progress, by the id of their hour or step. `affordable.policy_learning` follows them."""
    deeds: tuple[OwnDeed, ...] = ()
    """What it did in this game hour, oldest first, and last what it is doing now. `cognition.own_deeds` writes it."""
