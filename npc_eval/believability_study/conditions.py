"""The five conditions of Generative Agents, section 6.2. All answer after the same life. Each ablation has less of the memory stream."""

from __future__ import annotations

import copy
from enum import Enum

from npc_server.mind.mind import Mind
from npc_server.mind.parts.identity import SelfView
from npc_server.records import MemoryKind


class Condition(str, Enum):
    """The conditions in the order of the paper."""

    FULL = "full"
    NO_REFLECTION = "no_reflection"
    NO_PLANNING = "no_reflection_no_planning"
    NONE = "none"
    HUMAN = "human"
    """A person who has read about the life answers."""


ABLATIONS = (Condition.FULL, Condition.NO_REFLECTION, Condition.NO_PLANNING, Condition.NONE)
"""The conditions under which a mind answers."""
TITLES = {
    Condition.FULL: "full architecture",
    Condition.NO_REFLECTION: "no reflection",
    Condition.NO_PLANNING: "no reflection, planning",
    Condition.NONE: "no memory stream",
    Condition.HUMAN: "by a person",
}
_OUT_OF_REACH: dict[Condition, frozenset[MemoryKind]] = {
    Condition.FULL: frozenset(),
    Condition.NO_REFLECTION: frozenset({MemoryKind.REFLECTION}),
    Condition.NO_PLANNING: frozenset({MemoryKind.REFLECTION, MemoryKind.PLAN}),
    Condition.NONE: frozenset(MemoryKind),
}


def under(mind: Mind, condition: Condition) -> Mind:
    """Returns a copy of the mind that answers under a condition of `ABLATIONS`, and remembers nothing of it.

    What a mind concluded from its memories is out of reach with its reflections: how it sees itself, what is on its mind, and Social
    Memory (AGA, section 3.2), which the paper does not have. Who it is stays, as its persona's file says.
    """
    aside = mind.aside()
    if condition is Condition.FULL:
        return aside
    stream = copy.deepcopy(mind.stream)
    hidden = _OUT_OF_REACH[condition]
    stream.remove([memory.id for memory in mind.stream.latest(len(mind.stream)) if memory.kind in hidden])
    aside.stream, aside.identity = stream, SelfView(revised=mind.identity.revised)
    aside.relationships.social.clear()
    if condition is not Condition.NO_REFLECTION:
        aside.plan.steps.clear()
    return aside
