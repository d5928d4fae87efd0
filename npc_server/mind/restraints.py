"""Restraints: for a scripted scene, the game keeps an NPC from speaking, or from taking notice of what happens.

An order counts from its arrival on, though no thought has taken it in yet: it may still be in the mailbox.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from npc_server.mind.doing import Doing
from npc_server.records import GameEvent, GameTime, Perception, PerceptionKind, Restraint, RestraintKind

Numbered = Sequence[tuple[int, GameEvent]]


def taken_in(doing: Doing, events: Numbered) -> tuple[Doing, list[Perception]]:
    """What the NPC is doing with the restraints among these events, and the perceptions that it takes notice of.

    It always learns where it is.
    """
    noticed: list[Perception] = []
    for _, event in events:
        if isinstance(event, Restraint):
            others = tuple(it for it in doing.restraints if it.kind is not event.kind)
            doing = replace(doing, restraints=(*others, event) if event.on else others)
        elif isinstance(event, Perception) and (event.kind is PerceptionKind.PLACE or not _holds(doing, event.at, RestraintKind.UNAWARE)):
            noticed.append(event)
    return doing, noticed


def is_silent(doing: Doing, waiting: Numbered, now: GameTime) -> bool:
    """Whether it says nothing now, since it is silent or takes no notice. `waiting` are the events in its mailbox."""
    return _holds(taken_in(doing, waiting)[0], now, RestraintKind.SILENT, RestraintKind.UNAWARE)


def is_unaware(doing: Doing, waiting: Numbered, now: GameTime) -> bool:
    """Whether it takes no notice now. `waiting` are the events in its mailbox."""
    return _holds(taken_in(doing, waiting)[0], now, RestraintKind.UNAWARE)


def _holds(doing: Doing, at: GameTime, *kinds: RestraintKind) -> bool:
    return any(it.kind in kinds and (not it.until or at < it.until) for it in doing.restraints)
