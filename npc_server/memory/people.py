"""The people of a save, and the state of each: one record in JSON, which belongs to that person's mind."""

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
    """A person as the save lists it."""

    npc: NpcId
    name: str
    seed: int = 0
    """Seed of this person's randomness."""


def insert(db: Database, people: Sequence[Person]) -> None:
    """Stores new people, in the order in which `load` returns them. Their state is empty."""
    rows.insert(db, "people", ("npc", "name", "seed", "state"), [(p.npc, p.name, p.seed, "") for p in people])


def load(db: Database) -> list[Person]:
    """Everybody, in the order in which they were stored. Raises SaveDamaged."""
    return rows.records(db, Person, rows.columns(Person), "FROM people ORDER BY rowid")


def rename(db: Database, npc: NpcId, name: str) -> None:
    """Changes a person's display name."""
    db.execute("UPDATE people SET name = ? WHERE npc = ?", (name, npc))


def set_state(db: Database, npc: NpcId, state: object) -> None:
    """Stores a person's state, a frozen record. Raises UnknownName."""
    if not db.execute("UPDATE people SET state = ? WHERE npc = ?", (codec.dumps(state), npc)).rowcount:
        raise UnknownName(f"There is nobody {npc!r} in this save.", "List the people of the save.", npc=npc)


def state(db: Database, npc: NpcId, cls: type[T]) -> T | None:
    """A person's state as a `cls`, or None if none was stored yet. Raises UnknownName and SaveDamaged."""
    found = rows.select(db, "SELECT state FROM people WHERE npc = ?", (npc,))
    if not found:
        raise UnknownName(f"There is nobody {npc!r} in this save.", "List the people of the save.", npc=npc)
    return codec.loads(cls, found[0][0]) if found[0][0] else None
