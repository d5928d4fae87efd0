"""Stores frozen records as rows of a table whose columns have the names of the fields."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

from sqlite_utils import Database

from npc_server.errors import BadInput
from npc_server.memory import codec

T = TypeVar("T")
_AT_ONCE = 64
"""Rows to fetch at a time. With a vector each they take 0.1 MB, which Python uses again for the next ones."""


def columns(cls: type, without: Iterable[str] = ()) -> tuple[str, ...]:
    """The names of a record's fields, in order."""
    left_out = frozenset(without)
    return tuple(field.name for field in dataclasses.fields(cls) if field.name not in left_out)


def quoted(names: Iterable[str]) -> str:
    """Column names for a statement. They are quoted, since a word such as `end` is a keyword of SQL."""
    return ", ".join(f'"{name}"' for name in names)


def insert(db: Database, table: str, names: Sequence[str], rows: Iterable[Sequence[Any]], verb: str = "INSERT") -> None:
    """Inserts rows. Raises sqlite3.IntegrityError when a key is taken, and BadInput for a value that SQLite cannot store."""
    try:
        db.conn.executemany(f"{verb} INTO {table} ({quoted(names)}) VALUES ({', '.join('?' * len(names))})", rows)
    except (OverflowError, UnicodeEncodeError) as error:
        raise BadInput(f"A row of {table} cannot be stored: {error}.", "Use 64-bit integers and valid Unicode.") from error


def can_be_stored(row: Sequence[Any]) -> bool:
    """Whether SQLite takes these values: its integers have 64 bits, and its texts are Unicode."""
    try:
        return all(len(it.encode()) >= 0 if isinstance(it, str) else not isinstance(it, int) or -(2**63) <= it < 2**63 for it in row)
    except UnicodeEncodeError:
        return False


def values(record: object, names: Sequence[str]) -> list[Any]:
    """The values of some fields as SQLite stores them."""
    return [codec.encode(getattr(record, name)) for name in names]


def select(db: Database, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    """All rows of a query."""
    return db.conn.execute(sql, parameters).fetchall()


def in_parts(db: Database, sql: str, parameters: Sequence[Any] = ()) -> Iterator[list[tuple[Any, ...]]]:
    """The rows of a query, some at a time. It saves memory where thousands are converted as they come."""
    cursor = db.conn.execute(sql, parameters)
    while part := cursor.fetchmany(_AT_ONCE):
        yield part


def record(cls: type[T], names: Sequence[str], row: Sequence[Any]) -> T:
    """A `cls` from a row with these columns. Raises SaveDamaged."""
    return codec.decode(cls, dict(zip(names, row, strict=True)))


def records(db: Database, cls: type[T], names: Sequence[str], rest: str, parameters: Sequence[Any] = ()) -> list[T]:
    """The rows of `SELECT names <rest>`, each as a `cls`. Raises SaveDamaged."""
    return [record(cls, names, row) for row in select(db, f"SELECT {quoted(names)} {rest}", parameters)]
