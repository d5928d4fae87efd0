"""What a save is: town, clock, epoch, and the text files it was made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlite_utils import Database

from npc_server import clock
from npc_server.errors import SaveDamaged
from npc_server.memory import codec, rows
from npc_server.records import Document, GameTime, NpcId


@dataclass(frozen=True)
class SaveMeta:
    """One row of `meta` each."""

    town: str = ""
    """Display name."""
    now: GameTime = 0
    seed: int = 0
    epoch: int = 0
    """Rises with every load; 0 before the first."""
    last_seq: int = 0
    """Of the events of this epoch, the highest that is stored."""
    embedder: str = ""
    """`Embedder.name` that made the vectors; empty while there are none."""
    saved_at: int = 0
    """Wall time, Unix seconds."""
    made_by: str = ""
    """Version of npc-server."""
    game: str = ""
    """Id of the game it belongs to; empty where the game gave none."""
    without_file: tuple[NpcId, ...] = ()
    """People whose file the game no longer had when it last took its files over."""
    save_id: str = ""
    """Of a slot's file, another one each time it is written."""
    base_id: str = ""
    """Of a working copy: `save_id` of the slot's file when it began."""
    play_id: str = ""
    """Of a working copy, and of every save that was written from it."""


_RANGES = {
    "now": (0, clock.LATEST),
    "seed": (-(2**63), 2**63 - 1),
    "epoch": (0, 2**62),
    "last_seq": (0, 2**62),
    "saved_at": (0, 2**53),
}
"""What the clock, the contract and a few more rounds of counting can hold."""


def read(db: Database) -> SaveMeta:
    """Raises SaveDamaged. Keys this version does not know are left alone."""
    names = rows.columns(SaveMeta)
    found: dict[str, Any] = {}
    for key, text in rows.select(db, "SELECT key, value FROM meta"):
        if key in names:
            found[key] = codec.raw(SaveMeta, text)
    save = codec.decode(SaveMeta, found)
    for name, (low, high) in _RANGES.items():
        if not low <= (value := getattr(save, name)) <= high:
            raise SaveDamaged(f"The save's {name} is {codec.short(value)}, outside {low} to {high}.", codec.FIX)
    return save


def write(db: Database, **changes: int | str | tuple[str, ...]) -> SaveMeta:
    """Changes some fields: `write(db, now=…, town=…)`. Returns all of them."""
    changed = replace(read(db), **changes)  # type: ignore[arg-type]
    codec.decode(SaveMeta, codec.encode(changed))  # the wrong type must not get in
    rows.insert(db, "meta", ("key", "value"), [(key, codec.dumps(getattr(changed, key))) for key in changes], "INSERT OR REPLACE")
    return changed


def put_documents(db: Database, kind: str, documents: Sequence[Document]) -> None:
    """Stores the files of a kind (`town`, `persona`) in place of those of that kind before."""
    db.execute("DELETE FROM documents WHERE kind = ?", (kind,))
    named = [(kind, document.name, position, document.text) for position, document in enumerate(documents)]
    rows.insert(db, "documents", ("kind", "name", "position", "text"), named)


def documents(db: Database, kind: str) -> list[Document]:
    """In the order they were put."""
    found = rows.select(db, "SELECT name, text FROM documents WHERE kind = ? ORDER BY position", (kind,))
    return [codec.decode(Document, {"name": name, "text": text}) for name, text in found]
