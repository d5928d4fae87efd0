"""The game's events on disk. They are stored before they are acknowledged, and stay until a mind has handled them.

Sequence numbers count 1, 2, 3 … within an epoch. One transaction stores events and the last number. So an event that the game
sends again after a lost connection is stored exactly once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from sqlite_utils import Database

from npc_server.errors import BadInput, SaveDamaged
from npc_server.memory import codec, meta, rows
from npc_server.records import Clock, GameActionResult, GameEvent, ObjectChange, Outcome, Perception, Restraint, Whereabouts

StoredEvent = Perception | Outcome | ObjectChange | Whereabouts | GameActionResult | Restraint
"""Events that are kept. Path results, the clock and unreadable events have a sequence number too, but nobody needs them later."""


def take(db: Database, epoch: int, events: Sequence[tuple[int, GameEvent]]) -> int:
    """Stores the new events among `events` and returns the highest number of this epoch. Events that were stored before are skipped.

    Raises BadInput for a gap in the numbers and for an epoch that is not the save's. Then nothing is stored.
    """
    save = meta.read(db)
    if epoch != save.epoch:
        raise BadInput(
            f"The events belong to epoch {epoch}, but the save is in epoch {save.epoch}.",
            "Send the epoch that OpenSave or LoadGame returned.",
        )
    last, now = save.last_seq, save.now
    fresh: list[tuple[int, int, str, str, str]] = []
    for seq, event in events:
        if seq <= last:
            continue
        if seq != last + 1:
            raise BadInput(
                f"Event {last + 1} was expected, event {seq} came.",
                f"Send the events from {last + 1} on again.",
                expected=last + 1,
                got=seq,
            )
        last = seq
        if isinstance(event, Clock):
            now = max(now, event.now)
        elif isinstance(event, StoredEvent):
            npc = "" if isinstance(event, ObjectChange) else event.npc
            fresh.append((epoch, seq, npc, _kind(type(event)), codec.dumps(event)))
    rows.insert(db, "inbox", ("epoch", "seq", "npc", "kind", "body"), fresh)
    if last != save.last_seq:
        meta.write(db, save, last_seq=last, now=now)
    return last


def pending(db: Database, epoch: int) -> list[tuple[int, GameEvent]]:
    """The events that no mind has handled yet, ordered by number. Events from an earlier epoch have numbers below 1. Raises SaveDamaged."""
    kinds = {_kind(cls): cls for cls in (Perception, Outcome, ObjectChange, Whereabouts, GameActionResult, Restraint)}
    found = rows.select(db, "SELECT seq, kind, body FROM inbox WHERE epoch = ? AND done = 0 ORDER BY seq", (epoch,))
    events: list[tuple[int, GameEvent]] = []
    for seq, kind, body in found:
        if kind not in kinds:
            raise SaveDamaged(f"The inbox holds an event of kind {kind!r}.", codec.FIX)
        events.append((seq, cast(StoredEvent, codec.loads(kinds[kind], body))))
    return events


def mark_done(db: Database, epoch: int, seqs: Sequence[int]) -> None:
    """Marks events as handled. This belongs into the transaction that stores what the mind did about them."""
    db.conn.executemany("UPDATE inbox SET done = 1 WHERE epoch = ? AND seq = ?", [(epoch, seq) for seq in seqs])


def prune_done(db: Database) -> int:
    """Deletes the handled events, and returns how many there were."""
    return int(db.execute("DELETE FROM inbox WHERE done = 1").rowcount)


def begin_epoch(db: Database, epoch: int) -> None:
    """Starts an epoch: numbers begin at 1 again. Waiting events happened in this save, so they are kept, with numbers below 1."""
    prune_done(db)
    waiting = rows.select(db, "SELECT epoch, seq FROM inbox ORDER BY epoch, seq")
    moves = [(epoch, number - len(waiting), *key) for number, key in enumerate(waiting, start=1)]
    db.conn.executemany("UPDATE inbox SET epoch = ?, seq = ? WHERE epoch = ? AND seq = ?", moves)
    meta.write(db, epoch=epoch, last_seq=0)


def _kind(cls: type) -> str:
    """The name of an event's type in the table: `ObjectChange` becomes `object_change`."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in cls.__name__).lstrip("_")
