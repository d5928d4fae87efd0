"""The latest questions of each mind with their prompts and replies, for whoever looks into a mind while the game runs.

The ledger of a save counts what all questions cost. What was asked and answered in words stands only here: prompts hold secrets, and
thousands of them would fill a save.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from npc_server.llm.engine import Request
from npc_server.records import AnsweredBy, AskedQuestion, CallOutcome, GameTime, ModelCall, NpcId

KEPT = 40
"""Questions kept for one NPC."""
KEPT_OF_ALL = 2_000
"""Questions kept for all NPCs of a session. With many people each gets a smaller part, but at least `LEAST_KEPT`."""
LEAST_KEPT = 5


@dataclass
class AskedLately:
    """The latest questions of all minds of an epoch. A load begins an empty one, as it drops the thoughts of the time before."""

    _of: dict[NpcId, deque[AskedQuestion]] = field(default_factory=dict)
    _last_id: int = 0

    def add(self, call: ModelCall, request: Request | None = None, reply: str = "") -> None:
        """Keeps a question that stands in the ledger, with its prompt if a model was asked."""
        by = AnsweredBy.INSTINCT if call.outcome is CallOutcome.INSTINCT else AnsweredBy.MODEL
        self._keep(call, by, request.system if request else "", request.asked if request else "", reply)

    def add_line(self, call: ModelCall, by: AnsweredBy, heard: str, said: str) -> None:
        """Keeps a line that no model said, with the line that it answers."""
        self._keep(call, by, "", heard, said)

    def latest(self, npc: NpcId, before_id: int, limit: int) -> list[AskedQuestion]:
        """Returns the questions of an NPC with ids below `before_id`, newest first. With 0 it begins with the newest."""
        found = [it for it in reversed(self._of.get(npc, ())) if not before_id or it.id < before_id]
        return found[:limit]

    def newest(self, npc: NpcId) -> int:
        """Returns the id of the newest question of an NPC, or 0."""
        kept = self._of.get(npc)
        return kept[-1].id if kept else 0

    def _keep(self, call: ModelCall, by: AnsweredBy, system: str, user: str, reply: str) -> None:
        self._last_id += 1
        kept = self._of.setdefault(call.npc, deque())
        kept.append(AskedQuestion(self._last_id, call, by, system, user, reply))
        most = max(LEAST_KEPT, min(KEPT, KEPT_OF_ALL // len(self._of)))
        while len(kept) > most:
            kept.popleft()


def free_of_charge(npc: NpcId, stage: str, at: GameTime, wall_ms: float = 0.0) -> ModelCall:
    """Returns the cost of what no language model was asked."""
    return ModelCall(npc, stage, at, 0, 0, 0, wall_ms, CallOutcome.USED)
