"""Social Memory on disk (Affordable Generative Agents, section 3.2). Each ordered pair of people has one row."""

from __future__ import annotations

from collections.abc import Iterable

from sqlite_utils import Database

from npc_server.memory import rows
from npc_server.records import NpcId, Social

_COLUMNS = rows.columns(Social)


def put(db: Database, kept: Iterable[Social]) -> None:
    """Stores records. Each replaces the row of its pair."""
    rows.insert(db, "social", _COLUMNS, [rows.values(it, _COLUMNS) for it in kept], verb="INSERT OR REPLACE")


def delete(db: Database, npc: NpcId, others: Iterable[str]) -> None:
    """Deletes what one person keeps of others."""
    db.conn.executemany("DELETE FROM social WHERE npc = ? AND other = ?", [(npc, other) for other in others])


def load(db: Database, npc: NpcId) -> list[Social]:
    """What one person keeps of others, ordered by the other's id or name. Raises SaveDamaged."""
    return rows.records(db, Social, _COLUMNS, "FROM social WHERE npc = ? ORDER BY other", (npc,))
