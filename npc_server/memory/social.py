"""Social Memory on disk (AGA, section 3.2): one row for each ordered pair."""

from __future__ import annotations

from collections.abc import Iterable

from sqlite_utils import Database

from npc_server.memory import rows
from npc_server.records import NpcId, Social

_COLUMNS = rows.columns(Social)


def put(db: Database, kept: Iterable[Social]) -> None:
    """Each takes the place of the row of its pair."""
    rows.insert(db, "social", _COLUMNS, [rows.values(it, _COLUMNS) for it in kept], verb="INSERT OR REPLACE")


def delete(db: Database, npc: NpcId, others: Iterable[str]) -> None:
    db.conn.executemany("DELETE FROM social WHERE npc = ? AND other = ?", [(npc, other) for other in others])


def load(db: Database, npc: NpcId) -> list[Social]:
    """What one person keeps of others, by name of the other."""
    return rows.records(db, Social, _COLUMNS, "FROM social WHERE npc = ? ORDER BY other", (npc,))
