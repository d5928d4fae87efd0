"""One deadline for a line: from when a player's line was heard until the first word of the answer may be said."""

from __future__ import annotations

from npc_server.llm.deadline import Deadline, current_deadline
from npc_server.mind.mind import Mind


def first_word(mind: Mind) -> Deadline:
    """Return the deadline for the first word of the next line; it has no end where no player waits."""
    found = Deadline()
    if mind.budget.players:
        found.end_at(current_deadline().began + mind.tools.engine.status().first_word_s)
    return found
