"""The tree of places and objects, and what each NPC knows of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

from sqlite_utils import Database

from npc_server.memory import codec, rows
from npc_server.records import Address, GameTime, NpcId


class Placed(Protocol):
    """A frozen record like `world.tree.Node`, which this room may not import."""

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
    """Adds nodes at the end, or replaces those of the same address where they are. `bodies` has those that are ready."""
    made = bodies or {}
    ((last,),) = rows.select(db, "SELECT COALESCE(MAX(position), 0) FROM nodes")
    stored = [(it.address, last + i, it.state, made.get(it.address) or codec.dumps(it)) for i, it in enumerate(nodes, start=1)]
    sql = """INSERT INTO nodes (address, position, state, body) VALUES (?, ?, ?, ?)
             ON CONFLICT (address) DO UPDATE SET state = excluded.state, body = excluded.body"""
    db.conn.executemany(sql, stored)


def bodies_of(nodes: Iterable[Placed]) -> dict[Address, str]:
    """As they are stored: a hundredth of a millisecond each, best spent on a thread that nobody waits for."""
    return {node.address: codec.dumps(node) for node in nodes}


def load_nodes(db: Database, cls: type[N]) -> list[N]:
    """In the order they came, each with its state now."""
    found = rows.select(db, "SELECT body, state FROM nodes ORDER BY position")
    nodes = [(codec.loads(cls, body), state) for body, state in found]
    return [node if node.state == state else replace(node, state=state) for node, state in nodes]  # type: ignore[type-var]


def root(db: Database) -> Address:
    """The world's own address, which is the id of its town; empty while there is none."""
    sql = """SELECT address FROM nodes WHERE instr(address, ':') = 0 AND instr(body, '"kind":"world"') ORDER BY position LIMIT 1"""
    found = rows.select(db, sql)
    return str(found[0][0]) if found else ""


def remove(db: Database, addresses: Sequence[Address]) -> None:
    """Takes nodes out, and what anybody knows of them."""
    gone = [(address,) for address in addresses]
    db.conn.executemany("DELETE FROM nodes WHERE address = ?", gone)
    db.conn.executemany("DELETE FROM known WHERE address = ?", gone)


def set_state(db: Database, states: Mapping[Address, str]) -> None:
    """Addresses that are not there are passed over."""
    db.conn.executemany("UPDATE nodes SET state = ? WHERE address = ?", [(state, address) for address, state in states.items()])


def saw(db: Database, npc: NpcId, places: Iterable[Known]) -> None:
    names = ("npc", "address", "state", "seen_at")
    rows.insert(db, "known", names, [(npc, k.address, k.state, k.seen_at) for k in places], "INSERT OR REPLACE")


def known(db: Database, npc: NpcId) -> list[Known]:
    """In the order of addresses."""
    return rows.records(db, Known, rows.columns(Known), "FROM known WHERE npc = ? ORDER BY address", (npc,))
