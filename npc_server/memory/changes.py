"""The history of memories that were added, edited or deleted from outside the mind. A deleted memory keeps its history."""

from __future__ import annotations

from collections.abc import Sequence

from sqlite_utils import Database

from npc_server.memory import rows
from npc_server.records import MemoryChange, NpcId

MOST_LISTED = 1_000
_COLUMNS = rows.columns(MemoryChange)


def insert(db: Database, changes: Sequence[MemoryChange]) -> None:
    """Stores changes, in the order in which they were made."""
    rows.insert(db, "memory_changes", _COLUMNS, [rows.values(change, _COLUMNS) for change in changes])


def load(db: Database, npc: NpcId, memory: int = 0) -> list[MemoryChange]:
    """The latest changes of an NPC's memories, the oldest first; of one memory, unless it is 0. Raises SaveDamaged."""
    rest = "FROM memory_changes WHERE npc = ? AND (memory = ? OR ? = 0) ORDER BY id DESC LIMIT ?"
    return rows.records(db, MemoryChange, _COLUMNS, rest, (npc, memory, memory, MOST_LISTED))[::-1]
