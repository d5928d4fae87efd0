"""Checks the events of the game, and stores them in the save."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlite_utils import Database

from npc_server import clock
from npc_server.errors import BadInput
from npc_server.memory import inbox, places
from npc_server.records import (
    Clock,
    GameActionResult,
    GameEvent,
    GameTime,
    Notice,
    NoticeLevel,
    ObjectChange,
    Outcome,
    PathResult,
    Perception,
    Rejected,
    Restraint,
    Whereabouts,
)
from npc_server.session.people import LivingTown

MOST_AHEAD_S = 36_525 * clock.DAY
"""How far the clock may advance at once: a hundred years in game seconds. A wrong time could not be undone once it is stored."""


def checked(seq: int, event: GameEvent, town: LivingTown, now: GameTime) -> tuple[GameEvent, Notice | None]:
    """Returns the event to store, and a notice if something is wrong with it.

    An event about an unknown NPC or object is refused. A clock with an impossible time is stored with the time `now` instead, so that
    a game in lockstep still gets its answer.
    """
    if isinstance(event, Clock):
        why = _wrong_clock(event.now, now)
        if why:
            return replace(event, now=now), Notice(NoticeLevel.ERROR, "CLOCK_REFUSED", why, seq)
        return event, None
    why = _wrong(event, town, now)
    return (Rejected(why), Notice(NoticeLevel.ERROR, "EVENT_REJECTED", why, seq)) if why else (event, None)


def _wrong_clock(at: GameTime, now: GameTime) -> str:
    if at < now:
        return f"The clock says {at}, and it is {now} already. Time only goes forward. Load a save to go back."
    if now and at > now + MOST_AHEAD_S:
        return f"The clock says {at}, and it is {now}. It may advance at most 100 years at once. Send seconds of game time."
    return ""


def _wrong(event: GameEvent, town: LivingTown, now: GameTime) -> str:
    if isinstance(event, Perception | Outcome | Whereabouts | PathResult | GameActionResult | Restraint) and event.npc not in town.agents:
        return f"There is no NPC {event.npc!r} in this save. There are: {', '.join(town.agents)}."
    if isinstance(event, Perception) and now and event.at > now + MOST_AHEAD_S:
        return f"The perception is at {event.at}, and it is {now}. It may be at most 100 years ahead. Send seconds of game time."
    if isinstance(event, Perception) and event.player is not None and event.subject in town.agents:
        return f"The subject {event.subject!r} is an NPC, and the perception says that it is a player. Give the player's name."
    if isinstance(event, ObjectChange):
        try:
            town.world.check_state(event.address, event.state)
        except BadInput as error:
            return str(error)
    return ""


def store(db: Database, epoch: int, before: int, events: Sequence[tuple[int, GameEvent]]) -> int:
    """Stores the events, and returns the last sequence number on disk. Changed objects are updated in the world at once."""
    last = inbox.take(db, epoch, events)
    changes = {seq: event for seq, event in events if seq > before and isinstance(event, ObjectChange)}
    if changes:
        places.set_state(db, {event.address: event.state for event in changes.values()})
        inbox.mark_done(db, epoch, list(changes))
    return last
