"""The description of a save: town, clock, epoch, and the text files it was made from."""

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
    """The fields of a save's description. The table `meta` has a row for each."""

    town: str = ""
    """Display name of the town."""
    now: GameTime = 0
    """Game time of the clock."""
    seed: int = 0
    """Seed of everything random in this save."""
    epoch: int = 0
    """Rises with every load; 0 before the first."""
    last_seq: int = 0
    """Highest number of a stored event of this epoch."""
    embedder: str = ""
    """`Embedder.name` of the model that made the vectors; empty while there are none."""
    saved_at: int = 0
    """Wall time of saving, in Unix seconds; 0 if it was never saved."""
    made_by: str = ""
    """Version of npc-server that made it."""
    game: str = ""
    """Id of the game it belongs to; empty if the game gave none."""
    without_file: tuple[NpcId, ...] = ()
    """People whose persona file was missing when the game last applied its files."""
    save_id: str = ""
    """In a slot's file: an id that is new each time the slot is saved."""
    base_id: str = ""
    """In a working copy: `save_id` of the slot's file from which it was made."""
    play_id: str = ""
    """The id of a working copy. Every save that is written from the working copy has it, too."""


_RANGES = {
    "now": (clock.EARLIEST, clock.LATEST),
    "seed": (-(2**63), 2**63 - 1),
    "epoch": (0, 2**62),
    "last_seq": (0, 2**62),
    "saved_at": (0, 2**53),
}
"""Lowest and highest valid values: those of the clock and of the protocol, with room to count on."""


def read(db: Database) -> SaveMeta:
    """The description of a save. Keys that this version does not know are ignored. Raises SaveDamaged."""
    names = rows.columns(SaveMeta)
    found: dict[str, Any] = {}
    for key, text in rows.select(db, "SELECT key, value FROM meta"):
        if key in names:
            found[key] = codec.raw(SaveMeta, text)
    save = codec.decode(SaveMeta, found)
    for name, (low, high) in _RANGES.items():
        if not low <= (value := getattr(save, name)) <= high:
            raise SaveDamaged(f"The save's {name} is {codec.short(value)}, which is outside {low} to {high}.", codec.FIX)
    return save


def write(db: Database, known: SaveMeta | None = None, **changes: int | str | tuple[str, ...]) -> SaveMeta:
    """Changes some fields, as in `write(db, now=…, town=…)`, and returns the whole description. Raises SaveDamaged for a wrong type.

    `known` is what `read` has just returned, if it was called.
    """
    changed = replace(known or read(db), **changes)  # type: ignore[arg-type]
    codec.decode(SaveMeta, codec.encode(changed))  # A value of the wrong type must not be stored.
    rows.insert(db, "meta", ("key", "value"), [(key, codec.dumps(getattr(changed, key))) for key in changes], "INSERT OR REPLACE")
    return changed


def put_documents(db: Database, kind: str, documents: Sequence[Document]) -> None:
    """Stores the files of a kind (`town` or `persona`) and deletes the earlier ones of that kind."""
    db.execute("DELETE FROM documents WHERE kind = ?", (kind,))
    named = [(kind, document.name, position, document.text) for position, document in enumerate(documents)]
    rows.insert(db, "documents", ("kind", "name", "position", "text"), named)


def documents(db: Database, kind: str) -> list[Document]:
    """The files of a kind, in the order in which they were stored."""
    found = rows.select(db, "SELECT name, text FROM documents WHERE kind = ? ORDER BY position", (kind,))
    return [codec.decode(Document, {"name": name, "text": text}) for name, text in found]
