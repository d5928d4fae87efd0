"""The instinct that the settings name: rules or minimal."""

from __future__ import annotations

from npc_server.config import MindSettings
from npc_server.instinct.minimal import Minimal
from npc_server.instinct.rules import Rules
from npc_server.mind.instinct import Instinct


def instinct_of(settings: MindSettings) -> Instinct:
    return Minimal() if settings.instinct == "minimal" else Rules()
