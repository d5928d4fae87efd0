"""What the game told, kept from before it is acknowledged until a mind has taken it in.

Sequence numbers count 1, 2, 3 … within an epoch. Storing events and remembering the last number is one transaction,
so an event sent again after a lost connection is neither lost nor doubled.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from sqlite_utils import Database

from npc_server.errors import BadInput, SaveDamaged
from npc_server.memory import codec, meta, rows
from npc_server.records import Clock, GameActionResult, GameEvent, ObjectChange, Outcome, Perception, Whereabouts

Stored = Perception | Outcome | ObjectChange | Whereabouts | GameActionResult
"""Path results and the clock are of the moment, and what could not be read says nothing: they count, and are not kept."""


def take(db: Database, epoch: int, events: Sequence[tuple[int, GameEvent]]) -> int:
    """Stores the events that are new and returns the highest number stored in this epoch. Ones stored before are passed over.

    Raises BadInput for a gap in the numbers or an epoch that is not the save's; then nothing is stored.
    """
    save = meta.read(db)
    if epoch != save.epoch:
        raise BadInput(
            f"The events are of epoch {epoch}, the save is in epoch {save.epoch}.", "Send the epoch that OpenSave or LoadGame gave."
        )
    last, now = save.last_seq, save.now
    fresh: list[tuple[int, int, str, str, str]] = []
    for seq, event in events:
        if seq <= last:
            continue
        if seq != last + 1:
            raise BadInput(
                f"Event {last + 1} was expected, event {seq} came.", f"Send again from event {last + 1} on.", expected=last + 1, got=seq
            )
        last = seq
        if isinstance(event, Clock):
            now = max(now, event.now)
        elif isinstance(event, Stored):
            npc = "" if isinstance(event, ObjectChange) else event.npc
            fresh.append((epoch, seq, npc, _kind(type(event)), codec.dumps(event)))
    rows.insert(db, "inbox", ("epoch", "seq", "npc", "kind", "body"), fresh)
    if last != save.last_seq:
        meta.write(db, last_seq=last, now=now)
    return last


def last_seq(db: Database, epoch: int) -> int:
    """The highest number stored in `epoch`; 0 when that is not the save's."""
    save = meta.read(db)
    return save.last_seq if epoch == save.epoch else 0


def pending(db: Database, epoch: int) -> list[tuple[int, GameEvent]]:
    """What no mind has taken in, in order. Events brought over from an epoch before have numbers below 1. Raises SaveDamaged."""
    kinds = {_kind(cls): cls for cls in (Perception, Outcome, ObjectChange, Whereabouts, GameActionResult)}
    found = rows.select(db, "SELECT seq, kind, body FROM inbox WHERE epoch = ? AND done = 0 ORDER BY seq", (epoch,))
    events: list[tuple[int, GameEvent]] = []
    for seq, kind, body in found:
        if kind not in kinds:
            raise SaveDamaged(f"The inbox holds an event of kind {kind!r}.", "Choose another save, or bring this one back from a copy.")
        events.append((seq, cast(Stored, codec.loads(kinds[kind], body))))
    return events


def mark_done(db: Database, epoch: int, seqs: Sequence[int]) -> None:
    """In the transaction that stores what the mind made of them."""
    db.conn.executemany("UPDATE inbox SET done = 1 WHERE epoch = ? AND seq = ?", [(epoch, seq) for seq in seqs])


def prune_done(db: Database) -> int:
    """Removes what was taken in; says how many."""
    return int(db.execute("DELETE FROM inbox WHERE done = 1").rowcount)


def begin_epoch(db: Database, epoch: int) -> None:
    """Numbers start at 1 again. What was told and not yet taken in stays in front, for it happened in this save."""
    prune_done(db)
    waiting = rows.select(db, "SELECT epoch, seq FROM inbox ORDER BY epoch, seq")
    moves = [(epoch, number - len(waiting), *key) for number, key in enumerate(waiting, start=1)]
    db.conn.executemany("UPDATE inbox SET epoch = ?, seq = ? WHERE epoch = ? AND seq = ?", moves)
    meta.write(db, epoch=epoch, last_seq=0)


def _kind(cls: type) -> str:
    """`ObjectChange` → `object_change`."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in cls.__name__).lstrip("_")
