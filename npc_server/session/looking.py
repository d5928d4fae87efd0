"""Looks into the minds that are played, for a panel or a debugger. Nothing that is looked at changes, and nobody is interrupted."""

from __future__ import annotations

from npc_server.mind.mind_state import glance
from npc_server.records import AskedQuestion, MindGlance, NpcId
from npc_server.session.open_slot import OpenSlot


class Looking:
    """The minds of the people who are played, as something to be looked at."""

    def __init__(self, open_slot: OpenSlot) -> None:
        self._open = open_slot

    def minds(self) -> list[MindGlance]:
        """Returns what everybody does and why, in the order of the save."""
        played = self._open.epoch
        return [glance(agent.mind, agent.doing, played.now) for agent in played.town.agents.values()]

    def questions(self, npc: NpcId, before_id: int, limit: int) -> list[AskedQuestion]:
        """Returns the latest questions of an NPC with ids below `before_id`, newest first. With 0 it begins with the newest.

        Raises UnknownName.
        """
        return self._open.epoch.town.agent(npc).mind.tools.asked.latest(npc, before_id, limit)
