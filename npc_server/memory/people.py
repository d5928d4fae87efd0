"""The people of a save, and what became of each: one record in JSON that their mind owns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from sqlite_utils import Database

from npc_server.errors import UnknownName
from npc_server.memory import codec, rows
from npc_server.records import NpcId

T = TypeVar("T")


@dataclass(frozen=True)
class Person:
    npc: NpcId
    name: str
    seed: int = 0
    """Of this person's randomness."""


def insert(db: Database, people: Sequence[Person]) -> None:
    """In the order that `load` gives back; their state is empty."""
    rows.insert(db, "people", ("npc", "name", "seed", "state"), [(p.npc, p.name, p.seed, "") for p in people])


def load(db: Database) -> list[Person]:
    return rows.records(db, Person, rows.columns(Person), "FROM people ORDER BY rowid")


def rename(db: Database, npc: NpcId, name: str) -> None:
    db.execute("UPDATE people SET name = ? WHERE npc = ?", (name, npc))


def find(db: Database, name: str) -> Person | None:
    """By id or display name, whatever the case."""
    wanted = name.strip().casefold()
    return next((p for p in load(db) if wanted in (p.npc.casefold(), p.name.casefold())), None)


def set_state(db: Database, npc: NpcId, state: object) -> None:
    """`state` is a frozen record. Raises UnknownName."""
    if not db.execute("UPDATE people SET state = ? WHERE npc = ?", (codec.dumps(state), npc)).rowcount:
        raise UnknownName(f"There is nobody {npc!r} in this save.", "List the people of the save.", npc=npc)


def state(db: Database, npc: NpcId, cls: type[T]) -> T | None:
    """None until one was set. Raises UnknownName, SaveDamaged."""
    found = rows.select(db, "SELECT state FROM people WHERE npc = ?", (npc,))
    if not found:
        raise UnknownName(f"There is nobody {npc!r} in this save.", "List the people of the save.", npc=npc)
    return codec.loads(cls, found[0][0]) if found[0][0] else None
