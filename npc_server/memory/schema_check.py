"""Checks that a file has exactly the tables of a save.

A trigger, a computed column, or a view in place of a table would run SQL that a stranger wrote.
"""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from functools import cache

from sqlite_utils import Database

from npc_server.memory.migrations import migrate, steps

_MOST = 500
"""The most tables, indexes and views in a file. A save has about thirty."""
_STATISTICS = {
    "sqlite_stat1": "CREATE TABLE sqlite_stat1(tbl,idx,stat)",
    "sqlite_stat4": "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)",
}
"""Tables that ANALYZE leaves when somebody opened the file with a tool."""
_MIGRATIONS = "_sqlite_migrations"
_PLAIN = re.compile(r"CREATE (TABLE|(UNIQUE )?INDEX)[^()]*\([^()]*(PRIMARY KEY \([^()]*\)[^()]*)?\)")
"""A table or index without expressions. The table of sqlite-utils only has to match this, since each of its versions makes another."""


def first_mismatch(connection: sqlite3.Connection, version: int) -> str:
    """The first difference from the schema of this version, as the end of a sentence; empty if there is none.

    Additional views are allowed, since nothing runs them.
    """
    found = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master LIMIT ?", (_MOST + 1,)).fetchall()
    if len(found) > _MOST:
        return f"it has more than {_MOST} tables, indexes and views"
    lacking = dict(_expected(version))
    for kind, name, table, sql in found:
        if not all(isinstance(part, str) for part in (kind, name, table)) or not isinstance(sql, str | None):
            return "its list of tables cannot be read"
        said = _plain(sql or "")
        if name in lacking:
            if lacking.pop(name) != (kind, said):
                return f"{name!r} is {_a(kind)} that is not as npc-server makes it"
        elif not _harmless(kind, name, table, said):
            return f"it has {_a(kind)} {name!r}, which is not npc-server's"
    return f"it has no {lacking[name][0]} {name!r}" if (name := next(iter(lacking), "")) else ""


def _harmless(kind: str, name: str, table: str, said: str) -> bool:
    """Whether an additional table, index or view runs nothing. `said` is its SQL, empty for an index that SQLite makes for a key."""
    if table == _MIGRATIONS and kind in ("table", "index"):
        return not said or _PLAIN.fullmatch(said) is not None
    return (kind == "view" and name != _MIGRATIONS) or (kind == "index" and not said) or (kind == "table" and _STATISTICS.get(name) == said)


@cache
def _expected(version: int) -> tuple[tuple[str, tuple[str, str]], ...]:
    """Name, type and SQL of everything that the first `version` migrations create."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        migrate(Database(connection, execute_plugins=False), steps()[:version])
        found = connection.execute("SELECT name, type, sql FROM sqlite_master WHERE sql IS NOT NULL AND tbl_name != ?", (_MIGRATIONS,))
        return tuple((name, (kind, _plain(sql))) for name, kind, sql in found)


def _a(kind: str) -> str:
    return f"{'an' if kind == 'index' else 'a'} {kind}"


def _plain(sql: str) -> str:
    return " ".join(sql.split())
