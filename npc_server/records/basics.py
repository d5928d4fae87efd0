"""Game time, addresses, NPC ids, and who decided: the types that all records use.

All times are game time: whole seconds since 1970-01-01 00:00 on the game's own calendar (see `clock`). An address joins the ids of a node
and its parents with ":", e.g. `millbrook:cafe:kitchen:stove`.
"""

from __future__ import annotations

from enum import Enum

GameTime = int
NEVER: GameTime = -(2**40)
"""Stands for when something last happened that has not happened yet. It is before every year that can be played."""
Address = str
NpcId = str


class Source(str, Enum):
    """Who made a decision."""

    MODEL = "model"
    CHOSEN = "chosen"
    """A line that was remembered or written before, and chosen by a model that reads (npc-rerank or npc-answers)."""
    POLICY = "policy"
    INSTINCT = "instinct"
