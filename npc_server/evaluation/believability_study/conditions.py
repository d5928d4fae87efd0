"""The five conditions of Generative Agents, section 6.2. All answer from one life; each ablation reaches less of its memory stream."""

from __future__ import annotations

import copy
from dataclasses import replace
from enum import Enum

from npc_server.mind.mind import Mind
from npc_server.records import MemoryKind


class Condition(str, Enum):
    """In the order of the paper's ablations."""

    FULL = "full"
    NO_REFLECTION = "no_reflection"
    NO_PLANNING = "no_reflection_no_planning"
    NONE = "none"
    HUMAN = "human"
    """Somebody who knows the life answers in the person's place."""


ABLATIONS = (Condition.FULL, Condition.NO_REFLECTION, Condition.NO_PLANNING, Condition.NONE)
"""What a mind answers itself."""
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
    """The mind as it answers under a condition of `ABLATIONS`: an aside, whose answers nobody remembers.

    What a mind concluded from its memories is out of reach with its reflections: how it sees itself, what is on its mind, and Social
    Memory (AGA, section 3.2), which the paper does not have. Who it is stays, as its persona's file says.
    """
    aside = mind.aside()
    if condition is Condition.FULL:
        return aside
    stream = copy.deepcopy(mind.stream)
    hidden = _OUT_OF_REACH[condition]
    stream.remove([memory.id for memory in mind.stream.latest(len(mind.stream)) if memory.kind in hidden])
    plan = mind.plan if condition is Condition.NO_REFLECTION else []
    return replace(aside, stream=stream, plan=list(plan), social={}, summary="", currently="")
