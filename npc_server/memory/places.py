"""The tree of places and objects on disk, and what each NPC knows of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

from sqlite_utils import Database

from npc_server.memory import codec, rows
from npc_server.records import Address, GameTime, NpcId


class Placed(Protocol):
    """A `world.tree.Node`, as far as this package uses it. The layers forbid importing that."""

    @property
    def address(self) -> Address: ...
    @property
    def state(self) -> str: ...


N = TypeVar("N", bound=Placed)


@dataclass(frozen=True)
class Known:
    """A place or object as one NPC last saw it."""

    address: Address
    state: str
    seen_at: GameTime


def put_nodes(db: Database, nodes: Sequence[Placed], bodies: Mapping[Address, str] | None = None) -> None:
    """Adds nodes at the end, or replaces those with the same address in their position. `bodies` may hold prepared JSON, by address."""
    made = bodies or {}
    ((last,),) = rows.select(db, "SELECT COALESCE(MAX(position), 0) FROM nodes")
    stored = [(it.address, last + i, it.state, made.get(it.address) or codec.dumps(it)) for i, it in enumerate(nodes, start=1)]
    sql = """INSERT INTO nodes (address, position, state, body) VALUES (?, ?, ?, ?)
             ON CONFLICT (address) DO UPDATE SET state = excluded.state, body = excluded.body"""
    db.conn.executemany(sql, stored)


def bodies_of(nodes: Iterable[Placed]) -> dict[Address, str]:
    """The JSON of nodes, by address. It takes 0.01 ms a node, which is best spent outside the store's thread."""
    return {node.address: codec.dumps(node) for node in nodes}


def load_nodes(db: Database, cls: type[N]) -> list[N]:
    """All nodes in the order in which they were added, with their present states. Raises SaveDamaged."""
    found = rows.select(db, "SELECT body, state FROM nodes ORDER BY position")
    nodes = [(codec.loads(cls, body), state) for body, state in found]
    return [node if node.state == state else replace(node, state=state) for node, state in nodes]  # type: ignore[type-var]


def addresses(db: Database) -> frozenset[Address]:
    """The addresses of all places and objects."""
    return frozenset(address for (address,) in rows.select(db, "SELECT address FROM nodes"))


def root(db: Database) -> Address:
    """The address of the world itself, which is the id of its town; empty if there is none."""
    sql = """SELECT address FROM nodes WHERE instr(address, ':') = 0 AND instr(body, '"kind":"world"') ORDER BY position LIMIT 1"""
    found = rows.select(db, sql)
    return str(found[0][0]) if found else ""


def remove(db: Database, addresses: Sequence[Address]) -> None:
    """Deletes nodes, and what anybody knows of them."""
    gone = [(address,) for address in addresses]
    db.conn.executemany("DELETE FROM nodes WHERE address = ?", gone)
    db.conn.executemany("DELETE FROM known WHERE address = ?", gone)


def set_state(db: Database, states: Mapping[Address, str]) -> None:
    """Sets the states of nodes by address. Unknown addresses are ignored."""
    db.conn.executemany("UPDATE nodes SET state = ? WHERE address = ?", [(state, address) for address, state in states.items()])


def saw(db: Database, npc: NpcId, places: Iterable[Known]) -> None:
    """Stores the places and objects that an NPC saw, over what it knew of them."""
    names = ("npc", "address", "state", "seen_at")
    rows.insert(db, "known", names, [(npc, k.address, k.state, k.seen_at) for k in places], "INSERT OR REPLACE")


def known(db: Database, npc: NpcId) -> list[Known]:
    """What an NPC knows, ordered by address. Raises SaveDamaged."""
    return rows.records(db, Known, rows.columns(Known), "FROM known WHERE npc = ? ORDER BY address", (npc,))
