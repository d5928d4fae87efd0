"""What a save is: town, clock, epoch, and the text files it was made from."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlite_utils import Database

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


def read(db: Database) -> SaveMeta:
    """Raises SaveDamaged. Keys this version does not know are left alone."""
    names = rows.columns(SaveMeta)
    found: dict[str, Any] = {}
    for key, text in rows.select(db, "SELECT key, value FROM meta"):
        if key in names:
            try:
                found[key] = json.loads(text)
            except (ValueError, TypeError, RecursionError) as error:
                raise SaveDamaged(f"The save's {key} is {text!r}.", "Choose another save, or bring this one back from a copy.") from error
    return codec.decode(SaveMeta, found)


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
